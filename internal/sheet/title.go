package sheet

import "slices"

// maxTitles is how many rows a title above the names of the columns has at most, such as "Payees 2026" and a date.
const maxTitles = 4

// isList reports whether the first records are of a list: none has a mark that separates cells, and they cannot all be
// the title of a table.
func isList(records []record) bool {
	for i, next := range records {
		if len(separatorsIn(next.text)) > 0 {
			return false
		}
		if i == maxTitles || !slices.ContainsFunc(cellsOf(next.text, 0), isWords) {
			return true
		}
	}
	return false
}

// titles is how many of the first records are the title of a table. They have no subject and fewer cells than the row
// below them, which has a name for each column.
func titles(records []record) (head int) {
	first := slices.IndexFunc(records[:min(len(records), maxTitles+2)], hasSubject)
	if first < 2 || len(separatorsIn(records[first].text)) == 0 {
		return 0
	}
	var texts []string
	for _, next := range records[first:min(len(records), first+maxCompared)] {
		texts = append(texts, next.text)
	}
	comma, most := separatorOf(texts), 0
	for i, next := range records[:first] {
		cells := cellsOf(next.text, comma)
		named := 0
		for _, c := range cells {
			if isWords(c) {
				named++
			}
		}
		if named > most && named > 1 && named == len(cells) {
			head = i
		}
		most = max(most, named)
	}
	return head
}

// hasSubject reports whether a record has a cell that is a subject, or was meant as one.
func hasSubject(next record) bool {
	for _, comma := range append(separatorsIn(next.text), 0) {
		if slices.ContainsFunc(cellsOf(next.text, comma), func(c string) bool { h, _ := held(c); return h > words }) {
			return true
		}
	}
	return false
}

// isWords reports whether a cell has words that are no subject.
func isWords(cell string) bool {
	h, _ := held(cell)
	return h == words
}
