package answer

import (
	"slices"
	"strings"

	"tocsin"
)

// Resembled is an address that the subject resembles, set against it.
type Resembled struct {
	*tocsin.Poisoning
	Subject tocsin.Subject
	Alike   Alike
	Title   string // of a page about an address that is one character off
	Says    string
}

// Resembled returns the address that the subject resembles; nil if it resembles none.
func (a Answer) Resembled() *Resembled {
	if a.AddressFindings == nil || a.Poisoning == nil {
		return nil
	}
	other, fault := tocsin.ParseAccount(a.Poisoning.Resembles)
	if fault != nil {
		return nil
	}
	r := &Resembled{Poisoning: a.Poisoning, Subject: other, Alike: Compare(a.Subject, other)}
	if r.Differ == 1 {
		r.Title = a.nearTitle()
	}
	t, name := a.Lang.Text, a.resembledName()
	switch {
	case r.Differ == 1 && r.Status == tocsin.Reported:
		r.Says = a.Lang.Sentences(t("%s.", a.likeness()),
			t("If you typed it, or somebody read it to you, compare it with the original."))
	case r.Differ == 1:
		r.Says = a.Lang.Sentences(t("%s.", a.likeness()), t("It is mistyped, or made to be taken for it. What is sent here "+
			"goes elsewhere, and cannot be called back."))
	case r.Status == tocsin.Reported:
		r.Says = t("It begins and ends like an address that lists warn of. One of the two may imitate the other, and the " +
			"honest one can be this one. Copy neither from a history of transfers.")
	case name != "":
		r.Says = t("It begins and ends like the address of %s, but is another one. Thieves make such addresses, so that "+
			"somebody copies them from a history of transfers.", name)
	default:
		r.Says = t("It begins and ends like a well-known address, but is another one. Thieves make such addresses, so that " +
			"somebody copies them from a history of transfers.")
	}
	return r
}

// resembledName is what a list calls the address that the subject resembles; "" if none does.
func (a Answer) resembledName() string {
	if a.AddressFindings == nil || a.Poisoning == nil || a.Poisoning.Name == nil {
		return ""
	}
	return *a.Poisoning.Name
}

// liftedByDigits reports whether the digits have lifted the score.
func (a Answer) liftedByDigits() bool {
	return slices.ContainsFunc(a.Factors, func(f tocsin.Factor) bool { return f.Code == "poisoning" })
}

// OneOff reports whether an address on which nothing is known differs in one character from one on record: it is
// mistyped, or made to be taken for it.
func (a Answer) OneOff() bool {
	return a.Suspicious() && a.AddressFindings != nil && a.Poisoning != nil && a.Poisoning.Differ == 1
}

// likeness says whose address it is nearly, without a full stop.
func (a Answer) likeness() string {
	t, name, party := a.Lang.Text, a.resembledName(), unshout(a.Poisoning.Party)
	switch {
	case a.Poisoning.Differ == 1 && a.Poisoning.Status == tocsin.Reported && party != "":
		return t("One character differs from an address of %s, which is sanctioned", party)
	case a.Poisoning.Differ == 1 && a.Poisoning.Status == tocsin.Reported:
		return t("One character differs from an address that lists warn of")
	case a.Poisoning.Differ == 1 && name != "":
		return t("One character differs from the address of %s", name)
	case a.Poisoning.Differ == 1:
		return t("One character differs from another address")
	case name != "":
		return t("Only the beginning and the end are those of the address of %s", name)
	}
	return t("Only the beginning and the end are those of a well-known address")
}

// nearTitle is the headline about an address that is nearly another one.
func (a Answer) nearTitle() string {
	return a.Lang.Sentences(a.Lang.Text("%s.", a.Lang.Text("Send nothing yet")), a.Lang.Text("%s.", a.likeness()))
}

// imitation sets the words about an address whose characters alone speak against it.
func (v *Verdict) imitation(a Answer) {
	if v.Title = a.nearTitle(); a.Lapsed {
		v.Lead = a.Lang.Sentences(a.soFar(), v.Lead)
	}
	v.ToDo = a.say("Send nothing yet", compareAgain)
}

// compareAgain is what to do with an address that looks like another one.
const compareAgain = "Get the address again from the person you want to pay, not from a history of transfers. " +
	"Compare every character."

// Alike is two accounts, one above the other, character by character.
type Alike struct {
	Same        bool // they are one account
	LooksAlike  bool // one may be taken for the other by its ends, see [tocsin.Subject.Resembles]
	First, Last int  // equal characters at the beginning, after what all of their kind begin with, and at the end
	Differ      int  // characters that differ
	Blocks      []AlikeBlock
}

// AlikeBlock is a part of both that fits a line of a phone.
type AlikeBlock struct{ Above, Below []Run } // marked is what differs

// blockLength is how many characters of each are in a block.
const blockLength = 14

// Compare sets two accounts against each other. Those of EVM are in small letters: capitals do not matter, and would
// differ without a mark.
func Compare(a, b tocsin.Subject) Alike {
	x, y := a.Plain(), b.Plain()
	if a.Kind == tocsin.EVM && b.Kind == tocsin.EVM {
		x, y = strings.ToLower(x), strings.ToLower(y)
	}
	c := Alike{Same: a == b}
	c.First, c.Last, c.LooksAlike = a.Resembles(b)
	equal := func(i int) bool { return i < len(x) && i < len(y) && x[i] == y[i] }
	runs := func(text string, from, to int) (runs []Run) {
		for i := from; i < min(to, len(text)); i++ {
			if n := len(runs); n == 0 || runs[n-1].Marked == equal(i) {
				runs = append(runs, Run{Marked: !equal(i)})
			}
			runs[len(runs)-1].Text += text[i : i+1]
		}
		return runs
	}
	for i := 0; i < max(len(x), len(y)); i += blockLength {
		c.Blocks = append(c.Blocks, AlikeBlock{runs(x, i, i+blockLength), runs(y, i, i+blockLength)})
	}
	for i := range max(len(x), len(y)) {
		if !equal(i) {
			c.Differ++
		}
	}
	return c
}
