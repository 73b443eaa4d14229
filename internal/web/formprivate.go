package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// question is something that the page before publishing asks about: whose it is. A report is public, and the next thief
// looks there for victims.
type question struct {
	Key     string          // names it in an answer
	Texts   []string        // how it is written in the title and in the story
	Subject *tocsin.Subject // that the story names; nil of what is none
	Handle  string          // for people, with its service; "" of another
	Value   string          // as the first field has it; "" of what nobody can be warned of, such as a card
	Private bool            // it may be the reporter's own, so it has to be answered
	Named   bool            // it was typed into the first field
	Claim   string          // words of the story that call it the reporter's own all the same; "" for none
	Unsure  bool            // it may be the reporter's own, though it was typed there: no answer is suggested
	Answer  string          // one of the answers; "" for none yet

	spelling paste.Spelling // of Key
}

// The fields of answers, and the answers: whose something is, with its key behind a space.
const (
	whoseField    = "whose"
	answeredField = "answered" // of answers that were given before the form was shown once more
	mine          = "mine"     // it is taken out
	theirs        = "theirs"   // the report warns of it
	ofNobody      = "other"    // it stays in the story alone
	nobodyIsMe    = "-"        // no sender of a conversation is the reporter
	notShown      = "[…]"      // what stands in the place of what is taken out, if its kind is not known
	maxAsked      = 40         // how many things are asked about at a time
	maxOfStory    = 30         // how many of them may be named by a story alone
	maxCompared   = 100        // with how many other things one is compared that is written in another way
	maxAnswered   = 3          // how often answers are looked for in what they have changed
	maxAnswers    = 2000       // of one form: a story has fewer things to ask about
)

// answersOf reads the answers, by the keys of what was asked about, and which of them were kept while the form was
// changed.
func answersOf(typed url.Values) (answers map[string]string, kept map[string]bool) {
	answers, kept = map[string]string{}, map[string]bool{}
	for _, field := range []string{answeredField, whoseField} {
		for _, text := range typed[field] {
			for line := range strings.SplitSeq(text, "\n") {
				answer, key, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
				if len(answers) < maxAnswers && slices.Contains([]string{mine, theirs, ofNobody}, answer) {
					answers[key], kept[key] = answer, field == answeredField
				}
			}
		}
	}
	return answers, kept
}

// askedServices are the services of handles that may as well be the reporter's own, pasted with a chat.
var askedServices = []string{"phone", "whatsapp", "email"}

// askWhose finds what is asked about, each once: in the title and in the story what may be the reporter's own, the
// numbers of phones and the e-mail addresses that are named as theirs, and what the story names beside it. In what is
// far too much, which is a fault of its own, it looks for nothing.
func (f *form) askWhose() {
	if f.isTooMuch() {
		return
	}
	found := f.inStory()
	written := f.personal()
	keys := make([]paste.Spelling, len(written))
	for i, text := range written {
		keys[i] = paste.SpellingOf(keyOf(text))
	}
	for _, text := range f.notTheirs(slices.Clone(written)) {
		one := question{Key: keyOf(text), Texts: []string{text}, Private: true}
		if i := slices.IndexFunc(found, func(other question) bool { return other.isIn(text) }); i >= 0 {
			one.Value = found[i].Value
			found = slices.Delete(found, i, i+1)
		}
		f.ask(one)
	}
	for _, handle := range paste.Unique(f.texts(paste.Handles)) {
		if service, name, _ := strings.Cut(handle, ":"); slices.Contains(askedServices, service) {
			var spelled []string
			for i, text := range written {
				if isSame(keys[i], paste.SpellingOf(name)) {
					spelled = append(spelled, text)
				}
			}
			f.ask(question{Key: name, Texts: spelled, Value: handle, Private: true, Named: true})
		}
	}
	for _, one := range found[:min(len(found), maxOfStory)] {
		f.ask(one)
	}
	f.Senders = paste.Senders(f.Field(storyField).Text)
	f.doubtNamed()
}

// doubtNamed finds what was typed into the first field, and may be the reporter's own by what the story says: it calls
// it so, or whoever may be the reporter writes it in a conversation.
func (f *form) doubtNamed() {
	if !slices.ContainsFunc(f.Asked, func(one question) bool { return one.Named }) {
		return
	}
	writers := f.me()
	if f.AsksMe() {
		writers = f.Senders
	}
	told, sent := paste.MessagesBy(f.Field(storyField).Text, writers)
	claims := paste.Claims(f.Field(titleField).Text + "\n" + told + sent)
	for i, one := range f.Asked {
		if !one.Named {
			continue
		}
		at := slices.IndexFunc(claims, func(c paste.Claim) bool { return isSame(c.What, one.spelling) })
		if at >= 0 {
			f.Asked[i].Claim = claims[at].Words
		}
		f.Asked[i].Unsure = at >= 0 ||
			slices.ContainsFunc(one.Texts, func(text string) bool { return strings.Contains(sent, text) })
	}
}

// isTooMuch reports whether a text is far too long, or names more accounts or links than twice what a report may have:
// each would be compared with all others.
func (f *form) isTooMuch() bool {
	links := slices.Concat(f.texts(paste.Links), f.texts(paste.Domains))
	return utf8.RuneCountInString(f.Field(titleField).Text+f.Field(storyField).Text) > 2*tocsin.MaxDescription ||
		utf8.RuneCountInString(f.Field(projectField).Text) > tocsin.MaxProject ||
		len(paste.Unique(f.texts(paste.Handles))) > 2*tocsin.MaxHandles ||
		len(paste.Unique(links)) > 2*(tocsin.MaxEvidence+tocsin.MaxSubjects)
}

// personal is what may be the reporter's own in all that is published of what was typed.
func (f *form) personal() (found []string) {
	for _, name := range []string{titleField, storyField, projectField} {
		found = append(found, paste.Personal(f.Field(name).Text)...)
	}
	for _, link := range slices.Concat(f.texts(paste.Links), f.texts(paste.Domains)) { // of a site the page is a link
		found = append(found, paste.PersonalInLink(link)...)
	}
	return found
}

// ask adds something to what is asked about. What is written in two ways is asked about once.
func (f *form) ask(one question) {
	one.Answer, one.spelling = f.answers[one.Key], paste.SpellingOf(one.Key)
	if one.Answer == theirs && f.kept[one.Key] && one.Value != "" && !one.Named {
		one.Answer = "" // it was taken out of the first field since
	}
	i, asked := f.askedAt[one.Key]
	if !asked && one.Private {
		i = slices.IndexFunc(f.Asked[:min(len(f.Asked), maxCompared)], func(other question) bool {
			return other.Private && isSame(other.spelling, one.spelling)
		})
		asked = i >= 0
	}
	if !asked {
		if f.askedAt == nil {
			f.askedAt = map[string]int{}
		}
		f.askedAt[one.Key] = len(f.Asked)
		f.Asked = append(f.Asked, one)
		return
	}
	f.Asked[i].Texts = append(f.Asked[i].Texts, one.Texts...)
	f.Asked[i].Answer = cmp.Or(f.Asked[i].Answer, one.Answer)
	f.Asked[i].Named = f.Asked[i].Named || one.Named
	if f.Asked[i].Value == "" {
		f.Asked[i].Value = one.Value
	}
}

// isSame reports whether two keys are of one e-mail address or number.
func isSame(one, other paste.Spelling) bool {
	return one != "" && one == other || one.SameNumber(other)
}

// notTheirs leaves out what is named as theirs in the first field, in whatever way it is written, and their name.
func (f *form) notTheirs(texts []string) []string {
	named := map[string]bool{}
	for _, i := range f.items[paste.Handles] {
		named[i.Text] = true
		if _, number, ok := strings.Cut(i.Text, ":+"); ok {
			for code := range 4 { // as it is dialled in its country, of which the code has up to three digits
				named[number[min(code, len(number)):]] = true
			}
		}
	}
	called := paste.PeopleOf(f.otherNames(), nil, true)
	return slices.DeleteFunc(texts, func(text string) bool {
		if name := paste.NameIn(text); name != "" && called.Without(name, "") == "" {
			return true
		}
		h, fault := tocsin.ParseHandle(text)
		phone := paste.Phone(text)
		return fault == nil && named[h.String()] || named[digitsOf(text)] || named[phone] ||
			named[strings.Replace(phone, "phone:", "whatsapp:", 1)]
	})
}

// keyOf is the name of a phone or an e-mail address without the way in which it is written, or the text in one line.
func keyOf(text string) string {
	if paste.IsMail(text) {
		text = strings.Join(strings.Fields(text), "")
	}
	if h, fault := tocsin.ParseHandle(text); fault == nil {
		return h.Name
	}
	if _, number, is := strings.Cut(paste.Phone(text), ":"); is {
		return number
	}
	return strings.Join(strings.Fields(text), " ")
}

// inStory is what the story names and the first field does not.
func (f *form) inStory() (found []question) {
	story := f.Field(storyField).Text
	if utf8.RuneCountInString(story) > tocsin.MaxDescription {
		return nil // which is a fault of its own
	}
	named := map[string]bool{}
	for _, i := range slices.Concat(f.items[paste.Addresses], f.items[paste.Domains], f.items[paste.Handles]) {
		if subject, fault := tocsin.ParseSubject(i.Text); fault == nil {
			named[subject.String()] = true
		}
		_, name, _ := strings.Cut(i.Text, ":")
		named[strings.ToLower(strings.TrimPrefix(name, "@"))] = true
	}
	for _, one := range paste.InStory(story) {
		_, name, _ := strings.Cut(one.Handle, ":")
		switch {
		case one.Handle == "" && !named[one.Subject.String()]:
			found = append(found, question{Key: thing(one.Subject), Value: thing(one.Subject), Subject: &one.Subject,
				Texts: writtenIn(story, one.Subject.Plain())})
		case one.Handle != "" && !named[strings.ToLower(strings.TrimPrefix(name, "@"))]:
			found = append(found, question{Key: asTyped(one.Handle), Value: asTyped(one.Handle),
				Handle: handleText(f.lang, one.Handle), Texts: writtenIn(story, name)})
		}
	}
	return found
}

// writtenIn returns a text as the only way in which another one has it, whatever its case, or nothing.
func writtenIn(story, text string) []string {
	if !strings.Contains(strings.ToLower(story), strings.ToLower(text)) {
		return nil
	}
	return []string{text}
}

// isIn reports whether a text has the thing: with the digits of its phone, or its name. A site is something else than
// an e-mail address there.
func (one question) isIn(text string) bool {
	name := one.Value
	if one.Subject != nil {
		if one.Subject.Kind == tocsin.DNS {
			return false
		}
		name = one.Subject.Plain()
	} else if _, after, is := strings.Cut(name, ":"); is {
		name = after
	}
	if number, is := strings.CutPrefix(name, "+"); is { // however it is written
		return strings.Contains(onlyDigits(text), number)
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

// canName reports whether something that is asked about can be named as theirs.
func (f *form) canName() bool {
	return slices.ContainsFunc(f.Asked, func(one question) bool { return one.Value != "" })
}

// Asks reports whether something is still to be answered before the report can be published, beside its page.
func (f *form) Asks() bool { return f.AsksWhose() || f.AsksMe() || f.AsksPlatform() }

// AsksWhose reports whether nobody has said yet whose something private is, where money went, or what at all is theirs.
func (f *form) AsksWhose() bool {
	return f.Unnamed || slices.ContainsFunc(f.Asked, func(one question) bool { return one.Needed() && one.Answer == "" })
}

// Needed reports whether a report is not published without an answer.
func (one question) Needed() bool { return one.Private || one.Paid() || one.Site() }

// Paid reports whether money may have gone to it: an address that the story alone names.
func (one question) Paid() bool { return !one.Private && one.Subject != nil && one.Subject.IsAddress() }

// Site reports whether it is a site that the story alone names: it may be the one that cheated the reporter.
func (one question) Site() bool {
	return !one.Private && one.Subject != nil && one.Subject.Kind == tocsin.DNS
}

// AsksMe reports whether nobody has said yet which senders of a conversation the reporter is.
func (f *form) AsksMe() bool {
	return len(f.Senders) > 0 && f.Field(meField).Text != nobodyIsMe && len(f.me()) == 0
}

// me are the senders of a conversation that the reporter is: two copies may name them in two ways.
func (f *form) me() (names []string) {
	chosen := map[string]bool{}
	for name := range strings.SplitSeq(f.Field(meField).Text, "\n") {
		chosen[name] = true
	}
	for _, name := range f.Senders {
		if chosen[name] {
			names = append(names, name)
		}
	}
	return names
}

// Rows are the things of which the page before publishing asks whose they are: at most [maxAsked] of them.
func (f *form) Rows() []question {
	rows := slices.DeleteFunc(slices.Clone(f.Asked), func(one question) bool { return one.Answer != "" && !f.Unnamed })
	return rows[:min(len(rows), maxAsked)]
}

// Questions reports whether something is asked about what was written.
func (f *form) Questions() bool { return f.AsksMe() || len(f.Rows()) > 0 }

// Said is how people see what is no subject.
func (one question) Said() string {
	switch {
	case one.Handle != "":
		return one.Handle
	case one.Named:
		return one.Key
	}
	return append(one.Texts, one.Key)[0]
}

// Many reports whether so much may be the reporter's own that one button for all of it helps.
func (f *form) Many() bool {
	open := 0
	for _, one := range f.Asked {
		if one.Private && one.Answer == "" {
			open++
		}
	}
	return open > 1
}

// takeOutField is the button that takes out all that may be the reporter's own and was not answered.
const takeOutField = "takeout"

// takeAllOut answers so.
func (f *form) takeAllOut() {
	for i, one := range f.Asked {
		if one.Private && one.Answer == "" {
			f.Asked[i].Answer = mine
		}
	}
}

// onlyDigits returns the digits of a text.
func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// digitsOf returns the digits of a text that has no letters, without zeros before them; "" of another.
func digitsOf(text string) string {
	if strings.ContainsFunc(text, unicode.IsLetter) {
		return ""
	}
	return strings.TrimLeft(onlyDigits(text), "0")
}

// ownText says that a line of the first field calls something the reporter's own.
func ownText(p *locale.Printer, kind paste.Kind, what string) hint {
	t := p.Text
	if kind == paste.OwnAddress {
		return hint{t("whose address is it?"), t("This line calls an address your own: %s.", what),
			t("Take your own address out: a report warns of all that it names. If it is theirs, leave the address alone on " +
				"the line.")}
	}
	return hint{t("whose is it?"), t("This line calls a number, an e-mail address or a name your own: %s.", what),
		t("We did not take it as theirs. Take it out of this field: a report is public, and the next thief looks for " +
			"victims there. If it is theirs, leave it alone on the line.")}
}
