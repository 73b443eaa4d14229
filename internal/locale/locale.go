// Package locale writes the texts of the site in the language of its visitor. A text is written in English where it is
// used, and that English finds its translation in the catalogue of a language (docs/site.md, "Texts and languages").
package locale

import (
	"slices"
	"sync"

	"golang.org/x/text/language"
)

// Shipped returns the languages that are offered to visitors, English first, by their BCP 47 tag. A catalogue that is
// not among them may lack texts.
func Shipped() []string { return []string{"en", "de", "es", "fr", "pt", "zh-Hans"} }

// Key is a text in English, by which its translations are found. It is a format: %s and %d stand for arguments, in
// another order %[2]s, and %% for a percent sign.
type Key string

// Languages are languages that the site can be shown in. They are safe for concurrent use.
type Languages struct {
	printers []*Printer
	matcher  language.Matcher
}

// Load returns languages that have a catalogue. The first one is for visitors who want none of them. An error is a
// fault of the head of a catalogue: its texts are read when the first one is needed, and until then take neither time
// nor memory. To read those of all languages was a third of what a server computed before it was up.
func Load(tags ...string) (*Languages, error) {
	var all []*Catalogue
	for _, tag := range tags {
		c, err := head(tag)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return New(all...), nil
}

// New makes languages of catalogues that were checked. The first one is for visitors who want none of them.
func New(catalogues ...*Catalogue) *Languages {
	var l Languages
	var known []language.Tag
	for _, c := range catalogues {
		known = append(known, c.Tag)
		l.printers = append(l.printers, &Printer{
			Tag:     c.Tag.String(),
			Name:    c.Name,
			Dense:   c.Dense,
			dates:   c.Dates,
			printer: sync.OnceValue(c.printer),
		})
	}
	l.matcher = language.NewMatcher(known)
	return &l
}

// All returns a printer for each of the languages.
func (l *Languages) All() []*Printer { return l.printers }

// English returns the printer of the first language, for what is the same for all visitors.
func (l *Languages) English() *Printer { return l.printers[0] }

// MaxAccepted is how much of the header Accept-Language is read, in bytes. A longer one is as none.
const MaxAccepted = 300

// maxTag is how many bytes of a tag are looked at.
const maxTag = 35

// Choose returns the printer for a visitor: of the language that they chose, by its tag, or else of the first one that
// the header Accept-Language asks for (RFC 9110, section 12.5.4). Either may be empty, or nonsense.
func (l *Languages) Choose(chosen, accepted string) *Printer {
	if i := slices.Index(l.Tags(), chosen); i >= 0 {
		return l.printers[i]
	}
	if tag, err := language.Parse(chosen[:min(len(chosen), maxTag)]); err == nil && chosen != "" { // such as zh
		if _, i, sure := l.matcher.Match(tag); sure >= language.High {
			return l.printers[i]
		}
	}
	if len(accepted) > MaxAccepted {
		return l.printers[0]
	}
	_, i := language.MatchStrings(l.matcher, accepted)
	return l.printers[i]
}

// Tags returns the tags of the languages.
func (l *Languages) Tags() (tags []string) {
	for _, p := range l.printers {
		tags = append(tags, p.Tag)
	}
	return tags
}
