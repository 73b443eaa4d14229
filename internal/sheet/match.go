package sheet

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// keyColumn returns which of some columns identifies the rows of two tables, such as the one with the numbers of the
// customers; negative for none. Most subjects that are in both tables have the same value in both, and few have the
// values of another. Of several such columns it is the one with the most values, then the first.
func keyColumn(columns []int, then, now []Standing) int {
	type pair struct{ subject, value string }
	best, most := -1, 0
	for _, i := range columns {
		if isCount(i, now) {
			continue
		}
		had, subjects := map[pair]bool{}, map[string]bool{}
		for _, s := range then {
			subjects[s.key()] = true
			if v := s.own(i); isName(v) {
				had[pair{s.key(), v}] = true
			}
		}
		kept, values, both := map[pair]bool{}, map[string]bool{}, map[string]bool{}
		for _, s := range now {
			if subjects[s.key()] {
				both[s.key()] = true
			}
			if p := (pair{s.key(), s.own(i)}); had[p] {
				kept[p], values[p.value] = true, true
			}
		}
		if len(values) > most && len(kept)*2 >= len(both) && len(values)*4 >= len(kept) {
			best, most = i, len(values)
		}
	}
	return best
}

// measure matches an amount with decimals, and a date.
var measure = regexp.MustCompile(`^(?:\W*\d[\d.,' ]*[.,]\d{1,2}\s?\D{0,4}|` +
	`\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:\W.*)?)$`)

// maxName is how many bytes a cell has at most that identifies its row.
const maxName = 60

// isName reports whether a cell may identify its row.
func isName(cell string) bool {
	return len(cell) <= maxName && !IsBlank(cell) && !measure.MatchString(cell)
}

// isCount reports whether a column numbers the rows from 1 on, whatever is in them.
func isCount(column int, rows []Standing) bool {
	last := 0
	for _, s := range rows {
		n, err := strconv.Atoi(s.own(column))
		if err != nil || n != last && n != last+1 {
			return false
		}
		last = n
	}
	return last > 0
}

// KeyColumn returns which column identifies the rows of a table, such as the one with the numbers of the customers;
// negative for none.
func (l Layout) KeyColumn(lines []Line) int {
	rows := make([]Standing, len(lines))
	for i, line := range lines {
		rows[i] = Standing{Input: line.Text, Own: line.Cells}
		if line.Fault == nil {
			rows[i].Subject = line.Subject.String()
		}
	}
	return keyColumn(l.Form().Others, rows, rows)
}

// own is what a row has in a column of the list; "" for nothing.
func (s Standing) own(column int) string {
	if column < 0 || column >= len(s.Own) {
		return ""
	}
	return s.Own[column]
}

// matched pairs the rows of two tables: for each row of now it has the number of the row of then, negative for a new
// one. Rows with the same subject are a pair if their own columns in both tables are the same, or else if the key
// column is; without a key column, as many are pairs as both tables have. A row that was or is not read as a subject
// is found by its text or by the key column.
func matched(then, now []Standing, both []int, key int) []int {
	pairs, taken := slices.Repeat([]int{-1}, len(now)), make([]bool, len(then))
	// pair pairs what is left, in order, by what id returns of both; "" is left for later.
	pair := func(was, is func(Standing) string) {
		open := map[string][]int{}
		for i, s := range then {
			if id := was(s); id != "" && !taken[i] {
				open[id] = append(open[id], i)
			}
		}
		for j, s := range now {
			id := is(s)
			if found := open[id]; pairs[j] < 0 && len(found) > 0 {
				pairs[j], taken[found[0]], open[id] = found[0], true, found[1:]
			}
		}
	}
	whole := func(s Standing) string {
		id := s.key()
		for _, i := range both {
			id += "\x00" + s.own(i)
		}
		return id
	}
	part := func(s Standing) string { return s.key() + "\x00" + s.own(key) }
	text := func(s Standing) string { return s.Input + "\x00" + s.own(key) }
	name := func(s Standing) string { return s.own(key) }
	unread := func(of func(Standing) string) func(Standing) string {
		return func(s Standing) string {
			if s.Subject != "" {
				return ""
			}
			return of(s)
		}
	}
	pair(whole, whole)
	pair(part, part)
	for _, of := range []func(Standing) string{text, name} {
		pair(unread(of), of)
		pair(of, unread(of))
	}
	return pairs
}

// replacements are the rows of now whose row of then has another subject, such as a customer with a new wallet, each
// with the number of that row: no other row without a pair has the same in the key column.
func replacements(then, now []Standing, pairs []int, key int) map[int]int {
	were, are, taken := map[string][]int{}, map[string][]int{}, make([]bool, len(then))
	for _, i := range pairs {
		if i >= 0 {
			taken[i] = true
		}
	}
	for i, s := range then {
		if name := s.own(key); name != "" && !taken[i] {
			were[name] = append(were[name], i)
		}
	}
	for j, s := range now {
		if name := s.own(key); pairs[j] < 0 {
			are[name] = append(are[name], j)
		}
	}
	found := map[int]int{}
	for name, old := range were {
		if is := are[name]; len(old) == 1 && len(is) == 1 {
			found[is[0]] = old[0]
		}
	}
	return found
}

// key is by what a row is found in an earlier table. The case of an EVM address is only its checksum.
func (s Standing) key() string {
	switch {
	case s.Subject == "":
		return "input " + s.Input
	case strings.HasPrefix(s.Subject, "0x"):
		return strings.ToLower(s.Subject)
	}
	return s.Subject
}
