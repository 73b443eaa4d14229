package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// answered returns what was typed as the answers change it, and whether they do: with a mark for what is the reporter's
// own, without their name, and with what is theirs in the first field.
func (f *form) answered() (typed url.Values, changed bool) {
	typed = url.Values{onceField: {f.Once}, correctsField: {f.Corrects.ID}, codeField: {f.Corrects.Code}}
	for _, field := range f.Typed() {
		typed.Set(field.Name, field.Text)
	}
	var own []takenOut
	var add, marks []string
	for _, one := range f.Asked {
		switch {
		case one.Answer == mine && one.Private:
			for _, text := range one.Texts {
				own = append(own, takenOut{text, f.markOf(text)})
				marks = append(marks, f.markOf(text))
			}
			changed = true
		case one.Answer == mine:
			marks = append(marks, f.markOfThing(one))
			for _, text := range one.Texts {
				f.eachText(typed, func(said string) string { return paste.Without(said, text, f.markOfThing(one)) })
				changed = true
			}
		case one.Answer == theirs && one.Value != "" && !one.Named:
			add = append(add, one.Value)
			changed = true
		}
		if one.Answer != "" {
			typed.Add(whoseField, one.Answer+" "+one.Key)
		}
	}
	for _, key := range f.gone() {
		typed.Add(whoseField, mine+" "+key)
	}
	slices.SortStableFunc(own, func(a, b takenOut) int { return len(b.text) - len(a.text) })
	for _, one := range own {
		marked := paste.LeadOf(one.text) + one.mark
		f.eachText(typed, func(said string) string { return strings.ReplaceAll(said, one.text, marked) })
	}
	for _, one := range own {
		if core := paste.Core(one.text); core != "" {
			f.eachText(typed, func(said string) string { return paste.Without(said, core, one.mark) })
		}
	}
	typed.Set(thingsField, strings.Join(append(f.thingsLeft(), add...), "\n"))
	findOwn := f.findOwn()
	for _, name := range []string{thingsField, linkField} {
		if said := typed.Get(name); said != "" {
			left := paste.WithoutInLinks(said, func(link string) bool { return findOwn(link) != "" })
			typed.Set(name, left)
			changed = changed || left != said
		}
	}
	if slices.Contains(marks, typed.Get(projectField)) { // nothing else is left of it
		typed.Del(projectField)
	}
	if me := f.me(); len(me) > 0 {
		f.eachText(typed, func(said string) string {
			return paste.WithoutSenders(said, me, f.Senders, f.lang.Text("Me"), f.lang.Text("[my name]"))
		})
		typed.Del(meField)
		changed = true
	}
	self := paste.PeopleOf(f.called(), f.otherNames(), false)
	f.eachText(typed, func(said string) string {
		left := self.Without(said, f.lang.Text(ownMarks[paste.OfName]))
		changed = changed || left != said
		return left
	})
	return typed, changed
}

// takenOut is a text of the reporter's own, and what stands in its place.
type takenOut struct{ text, mark string }

// ownMarks stand in the place of what is taken out, by its kind.
var ownMarks = map[paste.Private]locale.Key{
	paste.Unsaid: notShown, paste.OfMail: "[e-mail address]", paste.OfPhone: "[phone number]", paste.OfName: "[name]",
	paste.OfHome: "[home address]", paste.OfBank: "[account number]", paste.OfPaper: "[identity number]",
	paste.OfBirth: "[date of birth]", paste.OfPassword: "[password]",
	paste.OfWallet: "[wallet address]",
}

// markOf is what stands in the place of a text of the reporter's own.
func (f *form) markOf(text string) string { return f.lang.Text(ownMarks[paste.PrivateKind(text)]) }

// markOfThing is the same of an account, a site or an address.
func (f *form) markOfThing(one question) string {
	switch {
	case one.Subject == nil:
		return f.lang.Text("[account]")
	case one.Subject.IsAddress():
		return f.lang.Text("[wallet address]")
	}
	return f.lang.Text("[website]")
}

// eachText changes what is told: the title, the story and the name of the project.
func (f *form) eachText(typed url.Values, change func(string) string) {
	for _, name := range []string{titleField, storyField, projectField} {
		if said := typed.Get(name); said != "" {
			typed.Set(name, change(said))
		}
	}
}

// FoundNone reports whether nothing that may be the reporter's own was found, now or before.
func (f *form) FoundNone() bool {
	return len(f.Asked)+len(f.Senders)+len(f.answers) == 0 && f.Field(meField).Text == ""
}

// Answered are the answers that are not asked for again, with those about what was taken out.
func (f *form) Answered() (answers []string) {
	for _, one := range f.Asked {
		if one.Answer != "" && !f.Unnamed {
			answers = append(answers, one.Answer+" "+one.Key)
		}
	}
	for _, key := range f.gone() {
		answers = append(answers, mine+" "+key)
	}
	return answers
}

// Kept are all answers that were given, for the form to be changed.
func (f *form) Kept() (answers []string) {
	all := maps.Clone(f.answers)
	for _, one := range f.Asked {
		if one.Answer != "" {
			all[one.Key] = one.Answer
		}
	}
	for key, answer := range all {
		answers = append(answers, answer+" "+key)
	}
	slices.Sort(answers)
	return answers
}

// gone are the keys of what was said to be the reporter's own, and is not found any more.
func (f *form) gone() (keys []string) {
	found := map[string]bool{}
	for _, one := range f.Asked {
		found[one.Key] = true
	}
	for key, answer := range f.answers {
		if answer == mine && !found[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// own is all that was said to be the reporter's own, in the ways in which it may be written.
func (f *form) own() (texts []string) {
	add := func(text string) {
		texts = append(texts, text)
		if core := paste.Core(text); core != "" {
			texts = append(texts, core)
		}
		if number, is := strings.CutPrefix(text, "+"); is && len(number) >= paste.MinPhone+3 {
			texts = append(texts, number[3:]) // as it is dialled at home: the code of a country has up to three digits
		}
	}
	for _, one := range f.Asked {
		if one.Answer == mine {
			add(one.Key)
			for _, text := range one.Texts {
				add(text)
			}
		}
	}
	for _, key := range f.gone() {
		add(key)
	}
	return texts
}

// called are the names that were said to be the reporter's own, in their own words.
func (f *form) called() (names []string) {
	for _, text := range f.own() {
		if name := paste.NameIn(text); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// otherNames are those of the other senders, and those that are named as theirs.
func (f *form) otherNames() (names []string) {
	me := f.me()
	for _, sender := range f.Senders {
		if !slices.Contains(me, sender) {
			names = append(names, sender)
		}
	}
	for _, handle := range f.texts(paste.Handles) {
		if service, name, _ := strings.Cut(handle, ":"); service == "name" {
			names = append(names, name)
		}
	}
	return names
}

// findOwn returns what finds something of the reporter's own in a text, in any spelling: that, or "". Their name is
// found as words alone: an account or a site with it may be that of somebody who pretends to be them.
func (f *form) findOwn() func(text string) string {
	called := append(f.called(), f.me()...)
	self := paste.PeopleOf(called, f.otherNames(), false)
	texts := slices.DeleteFunc(paste.Unique(f.own()), func(own string) bool { return paste.NameIn(own) != "" })
	names := make([]string, len(texts)) // of accounts of a service: each may be a part of a word
	spellings := make([]paste.Spelling, len(texts))
	for i, own := range texts {
		h, fault := tocsin.ParseHandle(own)
		if fault == nil && strings.Contains(own, ":") && !slices.Contains(askedServices, h.Service) {
			names[i] = strings.TrimPrefix(h.Name, "@")
		}
		spellings[i] = paste.SpellingOf(cmp.Or(names[i], own))
	}
	return func(text string) string {
		spelling := paste.SpellingOf(text)
		for i, own := range texts {
			if spelling.Holds(spellings[i]) && (names[i] == "" || paste.Without(text, names[i], notShown) != text) {
				return own
			}
		}
		if self.In(text) {
			return called[0]
		}
		return ""
	}
}

// checkOwn makes a fault of each field in which a draft has something that was said to be the reporter's own.
func (f *form) checkOwn(d *tocsin.Draft) {
	text := func(one *string) []string {
		if one == nil {
			return nil
		}
		return []string{*one}
	}
	findOwn := f.findOwn()
	for name, published := range map[string][]string{
		thingsField: slices.Concat(d.ScammerAddresses, d.ScammerAccounts, d.ReportedDomains, d.ReportedHandles),
		titleField:  {d.Title}, storyField: {d.Description}, currencyField: {d.Currency},
		projectField: text(d.SubjectProjectName), dateField: text(d.IncidentDate),
		hashField: d.Evidence.TransactionHashes, linkField: d.Evidence.URLs,
	} {
		for _, one := range published {
			if own := findOwn(one); own != "" {
				f.Field(name).addProblem(f.lang.Text("something of yours is still in it"), f.lang.Text(
					"You said that this is yours, and it is still in this field, perhaps written in another way: %s. Take it "+
						"out: everybody can read a report.", own))
				break
			}
		}
	}
}

// thingsLeft are the lines of the first field: as they were typed, unless one of them is the reporter's own.
func (f *form) thingsLeft() (things []string) {
	own := func(i item) bool {
		return slices.ContainsFunc(f.Asked, func(one question) bool {
			_, name, _ := strings.Cut(i.Text, ":")
			return one.Named && one.Answer == mine && i.Field == paste.Handles &&
				isSame(paste.SpellingOf(name), one.spelling)
		})
	}
	if text := f.Field(thingsField).Text; !slices.ContainsFunc(f.items[paste.Handles], own) {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	for _, i := range slices.Concat(f.items[paste.Addresses], f.items[paste.Domains], f.items[paste.Handles]) {
		if i.from.Name == thingsField && !own(i) {
			things = append(things, i.Text)
		}
	}
	for _, i := range f.items[paste.Transactions] {
		if i.from.Name == thingsField {
			things = append(things, "tx "+i.Text)
		}
	}
	return things
}
