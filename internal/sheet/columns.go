package sheet

import (
	"strings"
)

// Column is a column of a table, and what its cells hold.
type Column struct {
	Index    int
	Name     string
	Rows     int // of which the cells were counted: at most the first [sampled]
	Filled   int // cells that hold anything
	Accounts int // of them, those that are an account of a chain
	Sites    int // those that are a website
	Read     bool
	Chain    bool // it says on which chain the addresses are
	Beside   int  // accounts in its cells that are not screened, because it is not read
	nearly   int  // cells that were meant as an account, with a mistake
}

// Subjects is how many cells are a subject.
func (c Column) Subjects() int { return c.Accounts + c.Sites }

// add counts a cell.
func (c *Column) add(h holding) {
	switch h {
	case empty:
		return
	case account:
		c.Accounts++
	case site:
		c.Sites++
	case nearly:
		c.nearly++
	}
	c.Filled++
}

// isOfAccounts reports whether a column mostly holds subjects, and many of these are accounts. One that is right tells
// addresses with a mistake from numbers of customers.
func (c Column) isOfAccounts() bool {
	return c.Accounts*4 >= c.Subjects() && c.Accounts > 0 && (c.Subjects()+c.nearly)*2 > c.Filled
}

// choose returns which columns name the subjects of a table: all that mostly hold accounts, such as those of a sender
// and a receiver. Without one it is that with the most websites, without these that with the most subjects, or with
// what was meant as one. Names of firms and notes that look like a website do not compete with accounts.
func choose(columns []Column) (read []int) {
	best, most := -1, 0
	for _, c := range columns {
		if c.isOfAccounts() {
			read = append(read, c.Index)
		}
		n := c.Accounts*1000 + c.Sites*1000 + c.nearly
		if c.Subjects()*2 > c.Filled {
			n *= 1000
		}
		if n > most {
			best, most = c.Index, n
		}
	}
	if len(read) == 0 && best >= 0 {
		read = []int{best}
	}
	return read
}

// separatorOf returns what separates the cells of a table, by its first records: that with which the most cells are
// subjects, then that which gives the most records as many cells as the first; 0 for a list.
func separatorOf(records []string) (best rune) {
	most := -1
	for _, comma := range separatorsIn(records[0]) {
		n, width := 0, len(cellsOf(records[0], comma))
		if width < 2 {
			continue
		}
		for _, text := range records[:min(len(records), maxCompared)] {
			cells := cellsOf(text, comma)
			if len(cells) == width {
				n++
			}
			for _, c := range cells {
				if h, _ := held(c); h == site || h == account {
					n += 1000
				}
			}
		}
		if n > most {
			best, most = comma, n
		}
	}
	return best
}

// maxCompared is how many records are read with each separator to compare them.
const maxCompared = 20

// separatorsIn are the marks in a line that may separate its cells, the likeliest first.
func separatorsIn(text string) (all []rune) {
	marks := "\t,;"
	if strings.Count(text, ";") > strings.Count(text, ",") {
		marks = "\t;,"
	}
	for _, r := range marks {
		if strings.ContainsRune(text, r) {
			all = append(all, r)
		}
	}
	return all
}

// subjectsIn are the cells of a line that are subjects, with the separator that gives the most: all accounts or,
// without one, the first website.
func subjectsIn(text string) []string {
	best, most := preferred(cellsOf(text, 0)), 0
	for _, comma := range separatorsIn(text) {
		found := preferred(cellsOf(text, comma))
		n := 0
		for _, c := range found {
			n += len(accountsIn(c))
		}
		if n > most || len(best) == 0 {
			best, most = found, n
		}
	}
	return best
}

// preferred are the cells that are accounts or, without one, the first that is a website.
func preferred(cells []string) (accounts []string) {
	first := ""
	for _, c := range cells {
		switch h, _ := held(c); {
		case h == account:
			accounts = append(accounts, c)
		case h == site && first == "":
			first = c
		}
	}
	if len(accounts) == 0 && first != "" {
		return []string{first}
	}
	return accounts
}

// meant returns the cell of a list without a subject that was probably meant as one: the longest that looks like one,
// or the first.
func meant(cells []string) (text string) {
	for _, c := range cells {
		if likely(c) && (len(c) > len(text) || !likely(text)) || text == "" {
			text = c
		}
	}
	return text
}
