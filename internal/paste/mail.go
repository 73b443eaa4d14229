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
