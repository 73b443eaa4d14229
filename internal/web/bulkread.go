package web

import (
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
)

// optionsOf are how a list is read: as the form that carries it says.
func (s *Site) optionsOf(req *request) (o sheet.Options) {
	for _, text := range req.PostForm[columnField] {
		if n, err := strconv.Atoi(text); err == nil {
			o.Columns = append(o.Columns, n)
		}
	}
	switch text := req.PostFormValue(separatorField); text {
	case ",", ";":
		o.Comma = rune(text[0])
	case "tab":
		o.Comma = '\t'
	}
	ticked := req.PostFormValue(solanaField) != ""
	asked, meant := map[tocsin.Subject]bool{}, map[string]tocsin.Subject{} // a text is read several times
	o.Solana = func(subject tocsin.Subject) bool {
		if known, again := asked[subject]; ticked || again {
			return ticked || known
		}
		known, err := s.db.OnRecord(req.Context(), subject)
		free, refused := s.saysForNothing(req, subject)
		// A database that does not answer fails when the subjects are looked up.
		asked[subject] = err == nil && refused == nil && known[0] && free
		return asked[subject]
	}
	o.Token = func(t paste.Transfer) bool {
		known, err := s.db.KnownToken(req.Context(), t.Token, t.Chain)
		return err == nil && known // as above
	}
	o.Respelled = func(text string) tocsin.Subject {
		if _, again := meant[text]; !again {
			meant[text], _ = s.meantFor(req, text) // as above
		}
		return meant[text]
	}
	return o
}

// readBulk reads the lines of a text.
func (s *Site) readBulk(req *request, text string) (b bulkPage) {
	o := s.optionsOf(req)
	var left []sheet.Left
	o.Left = func(l sheet.Left) { left = append(left, l) }
	t := sheet.Read(text, maxBulk, o)
	if t.Workbook {
		b.Wrong = req.lang.Text("This is an Excel workbook, which we do not read. In Excel choose Save As and “CSV " +
			"UTF-8”, and send that file.")
		return b
	}
	b.Layout, b.Count, b.Rest, b.Lines = t.Layout, t.Rows, t.Rest, make([]bulkLine, len(t.Lines))
	b.AsSolana = req.PostFormValue(solanaField) != ""
	if b.Comma == 0 { // only one column was kept
		b.Comma = o.Comma
	}
	if n, err := strconv.Atoi(req.PostFormValue(restField)); err == nil && b.Rest == 0 {
		b.Rest = max(0, n)
	}
	if b.Head != nil {
		hideSecrets(b.Head)
		for i, name := range b.Head.Cells {
			if name == hidden {
				b.Names[i] = hidden
			}
		}
	}
	named := map[tocsin.Subject]bool{}
	for i, l := range t.Lines {
		b.Lines[i].Hash = l.Fault != nil && isHashOrKey(l.Text)
		b.Lines[i].Secret = hideSecrets(&l)
		b.Lines[i].Line = l
		if l.Solana && !b.AsSolana && !l.ByChain {
			b.OnRecord++
		}
		switch {
		case l.Fault != nil:
			b.Lines[i].Text = tocsin.Shorten(l.Text, 120)
			b.Faults++
		case named[l.Subject]:
			b.Repeated++
		default:
			if named[l.Subject] = true; !s.hasLookedUp(req, l.Subject) {
				b.New++
			}
		}
	}
	for _, l := range t.Lines {
		if l.Meant != (tocsin.Subject{}) {
			in := max(0, slices.Index(b.Names, l.Column))
			left = append(left, sheet.Left{Number: l.Number, Column: in, Subject: l.Meant})
		}
	}
	b.Named, b.Text, b.Sanctioned = len(named), b.text(), s.sanctionedOf(req, b.Names, left, named)
	b.findAlike()
	if b.Key = b.KeyColumn(t.Lines); b.Key >= 0 {
		b.KeyName = tocsin.Shorten(b.Names[b.Key], 40)
		for i, l := range b.Lines {
			b.Lines[i].Key = tocsin.Shorten(l.Cells[b.Key], 40)
		}
	}
	b.groupProblems(req.lang)
	if len(b.Text) > maxKept {
		b.dropColumns()
	}
	b.Shown = b.shown()
	return b
}

// shown says which columns were read, and how.
func (b bulkPage) shown() string {
	text := strconv.FormatBool(b.AsSolana)
	for _, c := range b.Sources() {
		text += " " + strconv.Itoa(c.Index)
	}
	return text
}

// dropColumns keeps only the columns that are read, those with their chains, and the one that identifies the rows.
func (b *bulkPage) dropColumns() {
	read := b.columns(func(c sheet.Column) bool { return c.Read || c.Chain || c.Index == b.Key })
	if len(read) == len(b.Columns) || len(read) == 0 {
		return
	}
	keep := func(l *sheet.Line) {
		var cells []string
		// The row had more cells than columns. The head has no subject.
		moved := l.Column == "" && l.Subject != (tocsin.Subject{}) && len(read) > 1
		for _, c := range read {
			if cells = append(cells, l.Cells[c.Index]); c.Read && moved {
				cells[len(cells)-1], moved = l.Text, false
			}
		}
		if l.Cells = cells; len(read) == 1 {
			l.Cells = nil
		}
	}
	for i := range b.Lines {
		keep(&b.Lines[i].Line)
	}
	if b.Head != nil {
		head := *b.Head // the page with all columns has it too
		keep(&head)
		b.Head = &head
	}
	b.Names, b.Dropped = nil, true
	if len(read) == 1 {
		b.Head, b.Columns = nil, nil
	} else {
		for i := range read {
			if read[i].Index == b.Key {
				b.Key = i
			}
			b.Names = append(b.Names, read[i].Name)
			read[i].Index = i
		}
		b.Columns = read
	}
	b.Text, b.Shown = b.text(), b.shown()
}

// hidden is written in place of a secret.
const hidden = "…"

// hideSecrets removes the private keys and the recovery phrases from a line. It reports whether the line was meant to
// be one.
func hideSecrets(l *sheet.Line) bool {
	meant := l.Fault != nil && tocsin.FindSecret(l.Text) != nil
	if tocsin.FindSecret(strings.Join(l.Cells, " ")) != nil {
		found := false
		l.Cells = slices.Clone(l.Cells) // other lines of the row have them too
		for i, c := range l.Cells {
			if tocsin.FindSecret(c) != nil {
				l.Cells[i], found = hidden, true
			}
		}
		for i, c := range l.Cells { // of a phrase each cell may be a word
			if _, fault := paste.Cell(c); !found && fault != nil {
				l.Cells[i] = hidden
			}
		}
	}
	if meant || l.Fault == nil && l.Subject == (tocsin.Subject{}) && tocsin.FindSecret(l.Text) != nil {
		l.Text = hidden
	}
	return meant
}

// text writes the lines as a table, in which each has the number that it had.
func (b bulkPage) text() string {
	var t strings.Builder
	number := 1
	write := func(l sheet.Line) {
		t.WriteString(strings.Repeat("\n", max(0, l.Number-number)))
		t.WriteString(l.Row() + "\n")
		number = l.Number + 1
	}
	if b.Head != nil {
		write(*b.Head)
	}
	for _, l := range b.Lines {
		if !l.Again {
			write(l.Line)
		}
	}
	return t.String()
}
