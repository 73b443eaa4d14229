package paste

import (
	"regexp"
	"slices"
	"strings"

	"tocsin"
)

// mailHosts have the mail of unrelated people: such a site says nothing about an e-mail address at it.
var mailHosts = regexp.MustCompile(`(?i)@(?:(?:gmail|googlemail|icloud|aol|proton|protonmail|gmx|web|mail|yandex|` +
	`zoho|tuta|tutanota|tutamail|fastmail|hey|pm|duck|mailbox|posteo|t-online|freenet|laposte|orange|wanadoo|free|` +
	`libero|virgilio|terra|uol|bol|ig|rediffmail|naver|daum|qq|163|126|sina|foxmail|me|mac|msn|rambler|inbox|list|bk|` +
	`ukr)\.[a-z]+|` +
	`(?:outlook|hotmail|live|yahoo|ymail|rocketmail)\.[a-z]+(?:\.[a-z]+)?|.+\.(?:edu|gov|mil))$`)

// MailSites returns the sites of the e-mail addresses among handles, each once, but those that give anybody an address.
func MailSites(handles []string) (sites []tocsin.Subject) {
	for _, handle := range handles {
		_, host, isMail := strings.Cut(handle, "@")
		if !isMail || !strings.HasPrefix(handle, "email:") || mailHosts.MatchString(handle) {
			continue
		}
		site, fault := tocsin.ParseSubject(host)
		if fault == nil && !slices.Contains(sites, site) {
			sites = append(sites, site)
		}
	}
	return sites
}

// saidHosts are hosts of e-mail addresses that are looked for behind an "at": more than those of [freeMail], since they
// may be parts of other names.
const saidHosts = freeMail + `|googlemail|aol|t-online|freenet|posteo|btinternet|virginmedia|talktalk|sky|orange|` +
	`wanadoo|laposte|free|sfr|telefonica|terra|uol|bol|sapo|qq|163|126|sina|foxmail|comcast|verizon`

// Ways to write an e-mail address so that no program finds it: atPlain is also a word of many a sentence, so that it is
// one only between a name with a digit or a sign in it and a known host.
const (
	atSaid = `(?:\s?[\[({<]\s?(?:@|at|arroba|arobase|a\x{308}t|ät)\s?[\])}>]\s?| (?:arroba|arobase|klammeraffe) |` +
		`\s?艾特\s?)`
	atPlain = ` (?:at|ät|a\x{308}t) `
	dotSaid = `(?:\s?[\[({<]\s?(?:dot|punto|punkt|point|ponto)\s?[\])}>]\s?| (?:dot|punto|punkt|point|ponto) |\s?点\s?)`
	// mailWord is a word of the name in an address, signedName such a name that no word is, dottedName one with a point
	// that is said. endSaid is the end of an address, with a point that may be said.
	mailWord   = `[a-z0-9][a-z0-9._%+-]*`
	dottedName = mailWord + `(?:` + dotSaid + mailWord + `){1,3}`
	signedName = `[a-z][a-z0-9]*[0-9._+-][a-z0-9._+-]*`
	endSaid    = `(?:(?:\.|` + dotSaid + `)[a-z]{2,})`
)

var (
	saidAt  = regexp.MustCompile(`(?i)` + atSaid + `|` + atPlain)
	saidDot = regexp.MustCompile(`(?i)` + dotSaid)
	// saidMailIn matches an e-mail address that is written so.
	saidMailIn = later(`(?i)\b(?:(?:` + dottedName + `|` + mailWord + `)` +
		`(?:` + atSaid + `[a-z0-9-]+` + endSaid + `| ?@ ?[a-z0-9-]+` + dotSaid + `[a-z]{2,})|` +
		dottedName + atPlain + `[a-z0-9-]+` + endSaid + `|` +
		signedName + atPlain + `(?:` + saidHosts + `)` + endSaid + `|` +
		`[a-z][a-z0-9]+` + atPlain + `(?:` + saidHosts + `)` + dotSaid + `[a-z]{2,})` + endSaid + `*\b`)
)
