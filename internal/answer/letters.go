package answer

import (
	"math"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
)

// Run is a part of a name. What is Marked differs from the name beside it, or lures.
type Run struct {
	Text   string
	Marked bool
}

// Comparison is a name beside the one that it resembles.
type Comparison struct {
	Name, Of []Run
	Says     string // what was changed
}

// Comparison compares the name letter by letter with that of the brand that it resembles; nil if it resembles none.
func (a Answer) Comparison() *Comparison {
	if a.NameFindings == nil || a.NameFindings.Lookalike == nil {
		return nil
	}
	name, l := a.Subject.Value, a.NameFindings.Lookalike
	if a.Unicode != nil {
		name = *a.Unicode
	}
	if front := a.InFront(); front != nil {
		return &Comparison{
			Name: []Run{{Text: front.Before + "."}, {front.Site, true}},
			Of:   []Run{{Text: front.Known}},
			Says: a.Lang.Text("The end of a name says whose site it is: this one is %s.", front.Site),
		}
	}
	part, brand := l.Evidence.Part, l.Evidence.Brand
	before, after, found := strings.Cut(name, part)
	if !found || part == "" {
		return nil
	}
	from, to, toBrand := difference(part, brand)
	changed, meant := part[from:to], brand[from:toBrand]
	imitating := []Run{{Text: part[:from]}, {changed, true}, {Text: part[to:]}}
	if part != brand && strings.ReplaceAll(part, "-", "") == brand {
		changed, meant, from, toBrand = "-", "", 0, 0
		imitating = hyphens(part)
		if len(l.Evidence.Lures) > 0 { // they say less than the words that lure
			changed, imitating = "", []Run{{Text: part}}
		}
	}
	inFront, behind := lured(before, l.Evidence.Lures), lured(after, l.Evidence.Lures)
	c := Comparison{Name: joined(slices.Concat(inFront, imitating, behind))}
	c.Of = []Run{{Text: l.Of}}
	if before, after, found := strings.Cut(l.Of, brand); found {
		c.Of = joined([]Run{{Text: before + brand[:from]}, {meant, true}, {Text: brand[toBrand:] + after}})
	}
	t := a.Lang.Text
	switch foreign := strings.ContainsFunc(changed, func(r rune) bool { return r >= 0x80 }); {
	case changed != "" && meant != "" && foreign:
		c.Says = t("It has “%s” where the real name has “%s”: the letters only look the same.", changed, meant)
	case changed != "" && meant != "":
		c.Says = t("It has “%s” where the real name has “%s”.", changed, meant)
	case changed != "":
		c.Says = t("“%s” was added.", changed)
	case meant != "":
		c.Says = t("“%s” is missing.", meant)
	case len(l.Evidence.Lures) > 0:
		var added []string
		for _, r := range slices.Concat(inFront, behind) {
			if r.Marked {
				added = append(added, r.Text)
			}
		}
		if len(added) == 0 { // they are in letters that only look so
			added = l.Evidence.Lures
		}
		c.Says = t("The brand’s name is spelled right, but this was added: %s.", strings.Join(added, ", "))
	default:
		c.Says = t("The name is spelled right, but this is another site.")
	}
	if l.Method != "mixed-scripts" { // which imitates a name, and perhaps no brand
		c.Says = a.Lang.Sentences(c.Says, t("The site of the brand is %s.", l.Of))
	}
	return &c
}

// difference returns where two texts differ: the bytes from from to toA of one, and to toB of the other.
func difference(a, b string) (from, toA, toB int) {
	for _, r := range a {
		size := len(string(r))
		if !strings.HasPrefix(b[from:], string(r)) {
			break
		}
		from += size
	}
	toA, toB = len(a), len(b)
	endA, endB := []rune(a[from:]), []rune(b[from:])
	for len(endA) > 0 && len(endB) > 0 && endA[len(endA)-1] == endB[len(endB)-1] {
		size := len(string(endA[len(endA)-1]))
		toA, toB = toA-size, toB-size
		endA, endB = endA[:len(endA)-1], endB[:len(endB)-1]
	}
	return from, toA, toB
}

// hyphens returns a text with its hyphens marked.
func hyphens(text string) (runs []Run) {
	for {
		before, after, found := strings.Cut(text, "-")
		if runs = append(runs, Run{Text: before}); !found {
			return runs
		}
		runs, text = append(runs, Run{"-", true}), after
	}
}

// lured is a text with the words that lure marked: parts between hyphens and dots, with the digits around them.
func lured(text string, lures []string) (runs []Run) {
	for text != "" {
		end := strings.IndexAny(text, "-._") + 1
		if end == 0 {
			end = len(text)
		}
		part := text[:end]
		word := strings.TrimRight(part, "-._")
		if slices.Contains(lures, word) || slices.Contains(lures, strings.Trim(word, "0123456789")) {
			runs = append(runs, Run{word, true}, Run{Text: part[len(word):]})
		} else {
			runs = append(runs, Run{Text: part})
		}
		text = text[end:]
	}
	return runs
}

// joined leaves out empty runs, and makes one of neighbours that are not marked.
func joined(runs []Run) (all []Run) {
	for _, r := range runs {
		if last := len(all) - 1; last >= 0 && !r.Marked && !all[last].Marked {
			all[last].Text += r.Text
		} else if r.Text != "" {
			all = append(all, r)
		}
	}
	return all
}

// Clue is a feature that a model finds in a name. Share is its part of everything that speaks against the name, in
// percent.
type Clue struct {
	Text  string
	Share int
}

// Clues are what the model finds in a name that it suspects, the largest first.
func (a Answer) Clues() (all []Clue) {
	if a.NameFindings == nil || a.Prediction == nil || a.Prediction.Level != tocsin.Elevated {
		return nil
	}
	for _, r := range a.Prediction.Reasons {
		text := a.Lang.Text(clues[r.Kind])
		if r.Text != "" {
			text = a.Lang.Text(clues[r.Kind], r.Text)
		}
		all = append(all, Clue{text, int(math.Round(100 * r.Share))})
	}
	return all
}

// clues are the kinds of [tocsin.PredictionReason].
var clues = map[string]locale.Key{
	"letters":   "The letters “%s”",
	"subdomain": "“%s” in front of it",
	"suffix":    "The ending %s",
	"shape":     "Its length, its digits and its hyphens",
	"brand":     "The likeness to %s",
	"words":     "Words that lure: “%s”",
}
