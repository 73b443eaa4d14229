package discovery

import (
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
)

// ParseContact reads how the operator can be reached: mailto: or https:, as
// security.txt wants it (RFC 9116, section 2.5.3). No contact is none.
func ParseContact(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil {
		return u.String(), nil
	}
	if err == nil && u.Scheme == "mailto" && u.RawQuery == "" {
		if address, err := mail.ParseAddress(u.Opaque); err == nil && address.Name == "" && address.Address == u.Opaque {
			return u.String(), nil
		}
	}
	return "", fmt.Errorf("%q is neither like mailto:security@tocsin.example nor like https://tocsin.example/contact", text)
}

// DefaultSignal lets search engines show and models quote what is here, and nobody train on it.
const DefaultSignal = "search=yes, ai-input=yes, ai-train=no"

// signals are the uses that contentsignals.org names.
var signals = []string{"search", "ai-input", "ai-train"}

// ParseSignal reads what crawlers may do with the content, as Content-Signal in
// robots.txt says it (draft-romm-aipref-contentsignals). "none" says nothing.
func ParseSignal(text string) (string, error) {
	if text == "none" {
		return "", nil
	}
	var said, names []string
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !slices.Contains(signals, name) || value != "yes" && value != "no" || slices.Contains(names, name) {
			return "", fmt.Errorf("%q is not like %q; it names %s, each once, with yes or no; or it is none", text, DefaultSignal, strings.Join(signals, ", "))
		}
		names = append(names, name)
		said = append(said, name+"="+value)
	}
	return strings.Join(said, ", "), nil
}
