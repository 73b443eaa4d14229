package locale

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

//go:embed *.yaml
var files embed.FS

// Catalogue is what is known of a language.
type Catalogue struct {
	Tag     language.Tag `yaml:"-"`
	Name    string       // of the language, in itself
	Numbers string       // the tag whose numbers are written; "" for Tag
	Dates   Dates
	Dense   bool // no space is between its sentences
	Texts   []Entry

	unread bool // the texts are still in the file
}

// Entry is a text and its translation. One with a number in it has the forms of CLDR that its language needs.
type Entry struct {
	Key   Key    `yaml:"en"`
	Text  string `yaml:"to,omitempty"`
	Zero  string `yaml:",omitempty"`
	One   string `yaml:",omitempty"`
	Two   string `yaml:",omitempty"`
	Few   string `yaml:",omitempty"`
	Many  string `yaml:",omitempty"`
	Other string `yaml:",omitempty"`
}

// Forms returns the forms of the entry that are not empty.
func (e Entry) Forms() map[plural.Form]string {
	forms := map[plural.Form]string{plural.Zero: e.Zero, plural.One: e.One, plural.Two: e.Two, plural.Few: e.Few,
		plural.Many: e.Many, plural.Other: e.Other}
	maps.DeleteFunc(forms, func(_ plural.Form, text string) bool { return text == "" })
	return forms
}

// Whole reports whether the entry has a translation.
func (e Entry) Whole() bool { return e.Text != "" || len(e.Forms()) > 0 }

// Tags returns the languages that have a catalogue, shipped or not.
func Tags() (tags []string) {
	names, _ := fs.Glob(files, "*.yaml") // the pattern is good
	for _, name := range names {
		tags = append(tags, strings.TrimSuffix(name, ".yaml"))
	}
	return tags
}

// Read reads the catalogue of a language and checks each of its translations: that it has the placeholders and the tags
// of the text, and the forms that the language needs.
func Read(tag string) (*Catalogue, error) {
	text, err := files.ReadFile(tag + ".yaml")
	if err != nil {
		return nil, err
	}
	c, err := decode(tag, text)
	if err != nil {
		return nil, err
	}
	var faults []error
	seen, plurals := map[Key]bool{}, c.Plurals()
	for _, e := range c.Texts {
		if err := check(e, plurals); err != nil || seen[e.Key] {
			faults = append(faults, fmt.Errorf("%s.yaml: %q: %w", tag, e.Key, cmp.Or(err, errTwice)))
		}
		seen[e.Key] = true
	}
	return c, errors.Join(faults...)
}

// head reads what is before the texts of a catalogue.
func head(tag string) (*Catalogue, error) {
	text, err := files.ReadFile(tag + ".yaml")
	if err != nil {
		return nil, err
	}
	text, _, _ = bytes.Cut(text, []byte("\ntexts:\n"))
	c, err := decode(tag, text)
	if err != nil {
		return nil, err
	}
	c.unread = true
	return c, nil
}

func decode(tag string, text []byte) (*Catalogue, error) {
	var c Catalogue
	var err error
	if c.Tag, err = language.Parse(tag); err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("%s.yaml: %w", tag, err)
	}
	if n, m := len(c.Dates.Months), len(c.Dates.Short); n%12 > 0 || m%12 > 0 || c.Dates.Day == "" ||
		c.Dates.Long == "" || c.Dates.Minute == "" || c.Name == "" {
		return nil, fmt.Errorf("%s.yaml: the name or the dates are not whole", tag)
	}
	return &c, nil
}

var errTwice = errors.New("it is there twice")

// numbers is the tag whose numbers are written.
func (c *Catalogue) numbers() language.Tag { return language.Make(cmp.Or(c.Numbers, c.Tag.String())) }

// Plurals returns the forms of words beside a whole number that the language has (CLDR), such as One and Other.
func (c *Catalogue) Plurals() []plural.Form {
	forms := map[plural.Form]bool{}
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		for i := range 200 {
			forms[plural.Cardinal.MatchPlural(c.Tag, n+i, 0, 0, 0, 0)] = true
			forms[plural.Cardinal.MatchPlural(c.Tag, i, 0, 0, 0, 0)] = true
		}
	}
	return slices.Sorted(maps.Keys(forms))
}

// check says what is wrong with a translation, if it is there, into a language with so many forms of a number.
func check(e Entry, plurals []plural.Form) error {
	args, counted, err := Placeholders(string(e.Key))
	if err != nil || !e.Whole() {
		return err
	}
	forms := e.Forms()
	if len(forms) > 0 {
		if counted == 0 || e.Text != "" || !slices.Equal(slices.Sorted(maps.Keys(forms)), plurals) {
			return fmt.Errorf("its forms are not those of a number in this language, of which there are %d", len(plurals))
		}
	} else {
		counted, forms[plural.Other] = 0, e.Text
	}
	for _, text := range forms {
		has, _, err := Placeholders(text)
		if err != nil {
			return err
		}
		if _, there := has[counted]; !there && counted > 0 {
			if len(has) > 0 && !strings.Contains(text, "%[") { // the printer would add what it takes for too much: %!(EXTRA
				return fmt.Errorf("%q leaves the number out, so it must number its placeholders, as in %%[1]s", text)
			}
			has[counted] = 'd' // a form may write the number as a word
		}
		if !maps.Equal(has, args) {
			return fmt.Errorf("%q has other placeholders", text)
		}
		if !slices.Equal(tagsOf(text), tagsOf(string(e.Key))) {
			return fmt.Errorf("%q has other tags", text)
		}
		if strings.Contains(text, "${") || strings.TrimSpace(text) != text {
			return fmt.Errorf("%q begins or ends with a space, or has a ${", text)
		}
	}
	return nil
}

var (
	placeholder = regexp.MustCompile(`%(?:\[(\d)\])?([a-z%])?`)
	tagForm     = regexp.MustCompile(`</?[a-z][^>]*>`)
)

// Placeholders returns the verbs of a text by the argument, from 1, that each stands for, and which argument is its
// first number, which chooses the form of the text; 0 for none.
func Placeholders(text string) (verbs map[int]byte, counted int, err error) {
	verbs = map[int]byte{}
	explicit := 0
	for _, found := range placeholder.FindAllStringSubmatch(text, -1) {
		if found[2] == "%" && found[1] == "" {
			continue
		}
		arg := len(verbs) + 1
		if found[1] != "" {
			explicit++
			arg, _ = strconv.Atoi(found[1]) // a digit
		}
		if found[2] != "s" && found[2] != "d" {
			return nil, 0, fmt.Errorf("%q is neither %%s nor %%d, nor %%%% for a percent sign", found[0])
		}
		if verb, again := verbs[arg]; again && verb != found[2][0] {
			return nil, 0, fmt.Errorf("argument %d is a text and a number", arg)
		}
		verbs[arg] = found[2][0]
		if counted == 0 && found[2] == "d" {
			counted = arg
		}
	}
	if explicit > 0 && explicit < len(verbs) {
		return nil, 0, fmt.Errorf("%q numbers only some of its placeholders", text)
	}
	return verbs, counted, nil
}

// tagsOf returns the tags of HTML in a text, sorted, with the number of each argument in them.
func tagsOf(text string) []string {
	if !strings.Contains(text, "<") {
		return nil
	}
	next := 0
	numbered := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "%[") || found == "%%" {
			return found
		}
		next++
		return fmt.Sprintf("%%[%d]%s", next, found[1:])
	})
	return slices.Sorted(slices.Values(tagForm.FindAllString(numbered, -1)))
}

// FormName is the name of a form in a catalogue.
func FormName(form plural.Form) string {
	return map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few",
		plural.Many: "many", plural.Other: "other"}[form]
}

// printer returns a printer of the translations. A fault of a catalogue is one of the program: tests read each of them.
func (c *Catalogue) printer() *message.Printer {
	if c.unread {
		var err error
		if c, err = Read(c.Tag.String()); err != nil {
			panic(err)
		}
	}
	builder := catalog.NewBuilder()
	for _, e := range c.Texts {
		if err := c.add(e, builder); err != nil {
			panic(fmt.Errorf("the catalogue %s: %q: %w", c.Tag, e.Key, err))
		}
	}
	return message.NewPrinter(c.numbers(), message.Catalog(builder))
}

func (c *Catalogue) add(e Entry, builder *catalog.Builder) error {
	if !e.Whole() {
		return nil
	}
	forms := e.Forms()
	if len(forms) == 0 {
		return builder.Set(c.Tag, string(e.Key), catalog.String(e.Text))
	}
	var cases []any
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		if form != plural.Other {
			cases = append(cases, FormName(form), forms[form])
		}
	}
	_, counted, _ := Placeholders(string(e.Key)) // checked
	return builder.Set(c.Tag, string(e.Key), plural.Selectf(counted, "%d", append(cases, "other", e.Other)...))
}
