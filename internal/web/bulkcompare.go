package web

import (
	"errors"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/sheet"
)

// earlierField is the name of the field with the file of an earlier table.
const earlierField = "earlier"

// compareBulk compares the answers with the earlier table that was sent.
func (s *Site) compareBulk(req *request, b *bulkPage, histories map[tocsin.Subject][]tocsin.DatedListing) error {
	file, _, err := req.FormFile(earlierField)
	if err != nil {
		b.BadEarlier = req.lang.Text("Choose the file that you downloaded then.")
		return nil
	}
	defer file.Close()
	earlier, err := sheet.ReadEarlier(file, maxBulk)
	switch {
	case errors.Is(err, sheet.ErrChangesAlone):
		b.BadEarlier = req.lang.Text("That file has only what had changed. Choose the whole table of that day.")
		return nil
	case errors.Is(err, sheet.ErrManyAnswers):
		b.BadEarlier = req.lang.Text("That file has more than %d rows, which is more than this page looks up at once. "+
			"Compare it with tocsin screen -compare.", maxBulk)
		return nil
	case err != nil:
		b.BadEarlier = req.lang.Text("That is not a CSV that was downloaded here: it lacks columns such as riskLevel, " +
			"sanctioned and lists. Excel workbooks are not read.")
		return nil
	}
	var t strings.Builder
	c := sheet.Compare(&t, b.form(), earlier, s.langs.English())
	if err := errors.Join(s.writeRows(c.Writer, *b, histories), c.Finish()); err != nil {
		return err
	}
	b.Compared, b.changesText = c, t.String()
	return nil
}

// maxChanges is how many changes a page shows; the CSV has all.
const maxChanges = 100

// FirstChanges are the changes that the page shows.
func (b bulkPage) FirstChanges() []sheet.Change {
	return b.Compared.Changes[:min(len(b.Compared.Changes), maxChanges)]
}

// MoreChanges is how many there are besides.
func (b bulkPage) MoreChanges() int { return max(0, len(b.Compared.Changes)-maxChanges) }

// NewSanctions is how many of the changes are a new sanction.
func (b bulkPage) NewSanctions() int { return b.Compared.Count(sheet.NewSanction) }

// Lifted is how many of the changes are a sanction that has ended.
func (b bulkPage) Lifted() int { return b.Compared.Count(sheet.Lifted) }

// OfRemoved is how many of the changes are of lists that were removed here.
func (b bulkPage) OfRemoved() int { return b.Compared.Count(sheet.Unread) }

// OfOlder is how many of the changes are of lists of which an older version was read here.
func (b bulkPage) OfOlder() int { return b.Compared.Count(sheet.Outdated) }

// Removed are the lists that were removed here since the earlier table.
func (b bulkPage) Removed(p *locale.Printer) string { return shortTitles(p, b.Compared.Removed()) }

// OlderLists are the lists of which an older version was read here since then.
func (b bulkPage) OlderLists(p *locale.Printer) string { return shortTitles(p, b.Compared.Outdated()) }

// shortTitles are the first of some titles of lists, which a file of a visitor has.
func shortTitles(p *locale.Printer, titles []string) string {
	var all []string
	for _, title := range titles[:min(len(titles), 5)] {
		all = append(all, tocsin.Shorten(title, 40))
	}
	return p.List(all...)
}

// EarlierTime is the time of the earlier table; as it is written there if that is no time.
func (b bulkPage) EarlierTime(p *locale.Printer) string {
	at, err := time.Parse(time.RFC3339, b.Compared.Earlier.ScreenedAt)
	if err != nil {
		return tocsin.Shorten(b.Compared.Earlier.ScreenedAt, 30)
	}
	return p.Minute(at)
}

// changeName is the subject of a change as it is shown, the path of its page, which is "" if it was not read as a
// subject, and what identifies its row.
func changeName(c sheet.Change) (shown struct{ Name, Path, Key string }) {
	shown.Key = tocsin.Shorten(c.Key(), 40)
	subject := c.Line.Subject
	if c.Kind == sheet.Gone {
		subject, _ = tocsin.ParseSubject(c.Was.Subject)
	}
	switch {
	case subject == (tocsin.Subject{}):
		shown.Name = tocsin.Shorten(c.Line.Text, 120)
	case subject.IsAddress():
		shown.Name, shown.Path = subject.Plain(), screenPath(subject)
	default:
		shown.Name, shown.Path = defang(subject.Value), screenPath(subject)
	}
	return shown
}
