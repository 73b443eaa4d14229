package paste

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/explorer"
)

// Box is what a text names that was typed where somebody asks about a subject.
type Box struct {
	Subjects []tocsin.Subject // accounts and domains, each once
	Handles  []string         // in their canonical form, each once
	Own      []string         // those of them that the text calls its writer's own
	// Parts are the subjects in the order of the text, with what they are there for, and what cannot be read.
	Parts []Part
	// Aside means that a transaction, or a private key, which looks the same, was left out: something else was found.
	Aside   bool
	Problem *Problem // why there is no subject; nil if there is one
	Text    string   // what was read: without what was left out
}

// ReadBox finds subjects and handles in a text, also beside a transaction and in a sentence. An address that spaces or
// line breaks have divided is put together again.
func ReadBox(text string) Box {
	if len(text) > maxQuestion {
		return Box{Problem: &Problem{Kind: TooMany}, Text: text}
	}
	text = WithoutConnects(tocsin.CleanText(text))
	rest, aside, secret := setAside(text)
	if secret {
		return Box{Problem: &Problem{Kind: Secret}, Text: text}
	}
	if b := readBox(rest); aside && (len(b.Subjects)+len(b.Handles) > 0 || !b.Problem.Kind.Searchable()) {
		b.Aside = true // also beside an address with a mistake
		return b
	}
	return readBox(text)
}

func readBox(text string) (b Box) {
	text = joined(text)
	b.Text = text
	subject, problem := Subject(text)
	switch {
	case problem == nil:
		b.Subjects = []tocsin.Subject{subject}
	case problem.Kind == Secret:
		return Box{Problem: problem, Text: text}
	case problem.Kind == SeveralSubjects:
		b.Subjects = subjectsIn(text)
	default:
		b.Problem = problem
	}
	b.Parts, b.Handles = Parts(text), handlesIn(text)
	if own := ownHandles(text); len(own) > 0 {
		b.Own = slices.DeleteFunc(slices.Clone(b.Handles), func(handle string) bool { return !isOwn(handle, own) })
	}
	if b.Problem != nil && b.Problem.Kind == BankNumber && len(b.Handles) > 0 {
		b.Problem = &Problem{Kind: NoSubject} // the handle is what can be looked for
	}
	var subjects []tocsin.Subject
	for _, part := range b.Parts {
		if part.Problem == nil {
			subjects = append(subjects, part.Subject)
		}
	}
	if len(subjects) > 0 { // also those that a link leads on to, and those beside what cannot be read
		b.Subjects, b.Problem = subjects, nil
	} else if i := slices.IndexFunc(b.Parts, Part.explains); i >= 0 {
		b.Subjects, b.Problem = nil, b.Parts[i].Problem
	}
	if len(b.Subjects) == 0 && b.Problem.Kind.Searchable() {
		theirs := slices.DeleteFunc(slices.Clone(b.Handles), func(handle string) bool { return isOwn(handle, b.Own) })
		for _, site := range MailSites(theirs) {
			b.Parts = append(b.Parts, Part{Subject: site, Role: MailSite})
			b.Subjects, b.Problem = append(b.Subjects, site), nil
		}
	}
	if b.Problem != nil && b.Problem.Kind.Searchable() && len(b.Handles) == 0 {
		if piece := pieceIn(text); piece != "" {
			b.Problem = &Problem{Kind: Piece, Text: piece}
		}
	}
	return b
}

// subjectsIn returns the subjects in a text, each once.
func subjectsIn(text string) (subjects []tocsin.Subject) {
	for _, item := range Read(Addresses, withoutDotted(text)).Items {
		subject, fault := tocsin.ParseSubject(item.Text)
		if fault == nil && !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	return subjects
}

// LinkTo returns the link to a page of a site in a text, also in a sentence; "" if there is none.
func LinkTo(text, host string) string {
	for line := range strings.SplitSeq(text, "\n") {
		for _, word := range split(line, maxThings) {
			d, fault := parseDomain(tocsin.Refang(word))
			if fault == nil && strings.Contains(word, "/") && d.String() == host {
				return word
			}
		}
	}
	return ""
}

// setAside returns a text without the transactions in it, and whether it had any. Secret means that it holds a recovery
// phrase, or a private key that is said to be one.
func setAside(text string) (rest string, aside, secret bool) {
	var kept, marked strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		for word := range strings.FieldsFuncSeq(line, unicode.IsSpace) {
			if isTransaction(word) {
				aside = true
				marked.WriteString("tx ")
			} else {
				kept.WriteString(word + " ")
			}
			marked.WriteString(word + " ")
		}
		kept.WriteString("\n")
		marked.WriteString("\n")
	}
	if !aside {
		return text, false, false
	}
	return strings.TrimSpace(kept.String()), true, tocsin.FindSecret(marked.String()) != nil
}

// isTransaction reports whether a word is the hash of a transaction, perhaps behind a word that says so, or the link to
// one at a block explorer.
func isTransaction(word string) bool {
	if strings.Contains(word, "/") {
		u, err := url.Parse(tocsin.Refang(trimPunctuation(word)))
		if err != nil {
			return false
		}
		_, known := explorer.At(u.Host)
		return known && (hashIn(word) != "" || explorerTx.MatchString(word) && len(hexIn(word, 64)) > 0)
	}
	if i := strings.LastIndexAny(word, ":=#"); i >= 0 && hashWord.MatchString(word[:i]) {
		word = word[i+1:]
	}
	word = trimPunctuation(word)
	return loneHash.MatchString(word) || len(word) == 66 && strings.EqualFold(word[:2], "0x") && isHex(word[2:])
}

var (
	// phoneIn matches what may be a number of a phone with its country code within a text, [Phone] decides.
	phoneIn = regexp.MustCompile(`(?:^|[\s(,;:])((?:\(?\+|\(?00)[1-9][0-9 ()./\x{a0}\x{2010}-\x{2013}-]{5,30}[0-9]\b)`)
	// serviceIn matches a handle of which the service is said within a text.
	serviceIn = regexp.MustCompile(`(?i)(?:^|[\s(,;])(` + accountServices + `|x)(?:\s*[:=]\s*@?|\s+@)` +
		`([0-9A-Za-z_.#-]*[0-9A-Za-z_])`)
	// wordRune matches a text that goes on with a word that was begun before it.
	wordRune = regexp.MustCompile(`^[0-9A-Za-z_@]`)
	// nameIn matches a line with a name that is said to be one.
	nameIn = regexp.MustCompile(`(?im)^\s*(?:` + nameWords + `)\s*[:=：]\s*(.{2,100})$`)
	// ofWhatsApp matches what is before a number that is one of WhatsApp.
	ofWhatsApp = regexp.MustCompile(`(?i)\b(?:whats ?app|wa)(?:\s+(?:is|es|ist|est|é))?[ :(\x{a0}]*$`)
)

// handlesIn returns the handles in a text, also in a sentence: numbers of phones with the code of a country, names with
// an @ or behind their service, e-mail addresses, links to accounts. Each is there once, of one service.
func handlesIn(text string) (handles []string) {
	text, _ = withoutBankNumbers(text)
	value := func(handle string) string {
		_, name, _ := strings.Cut(handle, ":")
		return strings.ToLower(strings.TrimPrefix(name, "@"))
	}
	add := func(handle string) bool {
		if handle == "" {
			return false
		}
		same := func(other string) bool { return value(other) == value(handle) }
		if !slices.ContainsFunc(handles, same) {
			handles = append(handles, handle)
		}
		return true
	}
	text = taken(nameIn, text, func(m []string, _, _ string) string {
		return handleOf("name:" + strings.TrimSpace(m[0]))
	}, add)
	text = taken(phoneIn, text, func(m []string, before, after string) string {
		return phoneHandle(m[0], before, after)
	}, add)
	for _, one := range spokenForms {
		text = taken(one.form, text, one.read, add)
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, word := range split(line, maxThings) {
			if !add(handleOf(word)) && handle.MatchString(word) {
				add(handleOf("name:" + word))
			}
		}
	}
	return handles
}

// maxBefore is how much of what is before a number is looked at, in bytes.
const maxBefore = 40

// phoneHandle returns the handle of what [phoneIn] matched, between what is before and behind it; "" if it is no number
// of a phone.
func phoneHandle(match, before, after string) string {
	if wordRune.MatchString(after) { // it is the beginning of an address
		return ""
	}
	handle := Phone(match)
	before = before[max(0, len(before)-maxBefore):] // a story may have thousands of numbers
	behind := thenWhatsApp.FindStringSubmatch(after[:min(len(after), maxBefore)])
	ofIt := ofWhatsApp.MatchString(before) || behind != nil && behind[1] == "" // else it is of the next number
	if name, ok := strings.CutPrefix(handle, "phone:"); ok && ofIt {
		return "whatsapp:" + name
	}
	return handle
}

// maxJoins is how many runs of words are tried as one address.
const maxJoins = 500

// part matches a part of an address that was divided.
var part = regexp.MustCompile(`^[0-9A-Za-z:]{2,60}$`)

// joined returns a text in which an address that was divided into words is one again. Its checksum tells, or, of the
// EVM, its length.
func joined(text string) string {
	words := strings.Fields(text)
	if len(words) > 100 {
		return text
	}
	tried := 0
	for i := range words {
		if !part.MatchString(words[i]) || isAccount(words[i]) {
			continue
		}
		whole := words[i]
		for j := i + 1; j < len(words) && part.MatchString(words[j]) && len(whole) < 120; j++ {
			if isAccount(words[j]) {
				break
			}
			whole += words[j]
			if len(whole) < 25 || !strings.ContainsAny(whole, "0123456789") {
				continue
			}
			if tried++; tried > maxJoins {
				return text
			}
			if bareHex.MatchString(whole) {
				return joinedAt(words, i, j, "0x"+whole)
			}
			if isAccount(whole) {
				return joinedAt(words, i, j, whole)
			}
		}
	}
	return text
}

// joinedAt is a text of words of which those from one to another are replaced.
func joinedAt(words []string, from, to int, whole string) string {
	rest := joined(strings.Join(words[to+1:], " "))
	return strings.Join(slices.Concat(words[:from], []string{whole, rest}), " ")
}

func isAccount(word string) bool {
	_, fault := tocsin.ParseAccount(word)
	return fault == nil
}

var (
	base58 = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{10,}$`)
	hexRow = regexp.MustCompile(`^(?:[0-9a-f]{16,}|[0-9A-F]{16,})$`)
)

// pieceIn returns the word of a text that looks like a piece of an address: random letters and digits, as no word and
// few names have them. It returns "" if there is none.
func pieceIn(text string) string {
	for _, word := range strings.Fields(text) {
		word = trimPunctuation(word)
		changes, digits, letters := 0, 0, 0
		last := rune(0)
		for _, c := range word {
			kind := 'd'
			switch {
			case unicode.IsUpper(c):
				kind = 'U'
			case unicode.IsLower(c):
				kind = 'l'
			}
			if kind == 'd' {
				digits++
			} else {
				letters++
			}
			if last != 0 && kind != last {
				changes++
			}
			last = kind
		}
		switch {
		case base58.MatchString(word) && digits > 0 && 2*changes >= len(word)-1:
			return word
		case hexRow.MatchString(word) && digits > 3 && letters > 3:
			return word
		}
	}
	return ""
}
