package paste

import (
	"slices"
	"strings"
	"unicode"
)

// contactWords and contactSigns are the words between "my" and a number, an e-mail address or a name that is the
// writer's own: what it is, in the languages of the pages, and "is".
const (
	contactWords = `own|personal|private|phone|telephone|tel|mobile|cell(?:phone)?|numbers?|no|whats ?app|wa|e-?mail|` +
		`mail|gmail|address|account|user(?:name)?|is|was|` + accountServices + `|` +
		`propi[oa]|tel[eé]fono|m[oó]vil|celular|cel|n[uú]mero|correo|electr[oó]nico|direcci[oó]n|usuario|cuenta|de|es|era|` +
		`(?:telefon|handy|mobil|ruf)?nummer|telefon|handy|e-?mail-?adresse|adresse|ist|lautet|` +
		`t[eé]l[eé]phone|portable|num[eé]ro|courriel|[ée]lectronique|compte|est|` +
		`telefone|telem[oó]vel|endere[cç]o|eletr[oô]nico|conta|é`
	contactSigns = `手机号?码?|电话号?码?|邮箱|邮件|号码|微信|账号|地址|是`
)

// ownContactIn matches what a text calls its writer's own number, e-mail address or account.
var ownContactIn = later(`(?i)(?:^|[^\pL])(?:(?:my|mis?|meine?|mon|ma|mes|meus?|minhas?)\s+|我的?\s?)` +
	`((?:(?:` + contactWords + `)(?:[\s.]+|\s*[:=：–-]\s*)|(?:` + contactSigns + `)\s*[:=：]?\s*){1,6}` +
	`([^\s,;，。]{1,80}(?:[ \x{a0}][0-9()./-]{1,15}){0,8}))`)

// Claim is what a text calls its writer's own, and the words with which it does, as in "my number is".
type Claim struct {
	Words string
	What  Spelling
}

// Claims returns what a text calls so.
func Claims(text string) (claims []Claim) {
	for _, m := range ownContactIn().FindAllStringSubmatchIndex(text, -1) {
		said := strings.TrimLeftFunc(text[m[0]:m[4]], func(r rune) bool { return !unicode.IsLetter(r) })
		claims = append(claims, Claim{strings.TrimRight(said, " \n\t\u00a0.:=：–-"), SpellingOf(text[m[4]:m[5]])})
	}
	return claims
}

// ownHandles returns the handles in a text that it calls its writer's own, as in "my phone is +34 612 345 678".
func ownHandles(text string) (own []string) {
	for _, m := range ownContactIn().FindAllStringSubmatch(text, -1) {
		own = append(own, handlesIn(m[1])...)
	}
	return own
}

// isOwn reports whether a handle is among those of somebody, on whatever service.
func isOwn(handle string, own []string) bool {
	_, name, _ := strings.Cut(handle, ":")
	return slices.ContainsFunc(own, func(one string) bool {
		_, ownName, _ := strings.Cut(one, ":")
		return strings.EqualFold(name, ownName)
	})
}

// setOwnAside takes somebody's own handles out of what the line names, and says so of each.
func (r *reader) setOwnAside(own []string) {
	if len(own) == 0 {
		return
	}
	r.Items = slices.DeleteFunc(r.Items, func(i Item) bool {
		mine := i.Line == r.line && i.Field == Handles && isOwn(i.Text, own)
		if mine {
			_, name, _ := strings.Cut(i.Text, ":")
			r.wrong(Problem{Kind: OwnContact, Text: name})
		}
		return mine
	})
}
