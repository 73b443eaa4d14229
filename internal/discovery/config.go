package discovery

import (
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
)

// ParseContact parses the contact of the operator: a mailto: or https: URL, as security.txt requires (RFC 9116, section
// 2.5.3). The empty text is no contact.
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
	return "", fmt.Errorf("%q is neither like mailto:security@tocsin.example nor like https://tocsin.example/contact",
		text)
}

// DefaultSignal allows search results and quotations by models, and forbids training.
const DefaultSignal = "search=yes, ai-input=yes, ai-train=no"

// signals are the uses that contentsignals.org names.
var signals = []string{"search", "ai-input", "ai-train"}

// ParseSignal parses what crawlers may do with the content, in the form of Content-Signal in robots.txt
// (draft-romm-aipref-contentsignals). For "none" it returns "": robots.txt then has no Content-Signal.
func ParseSignal(text string) (string, error) {
	if text == "none" {
		return "", nil
	}
	var uses, names []string
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !slices.Contains(signals, name) || value != "yes" && value != "no" || slices.Contains(names, name) {
			return "", fmt.Errorf("%q is not like %q; it names %s, each once, with yes or no, or is the word none",
				text, DefaultSignal, strings.Join(signals, ", "))
		}
		names = append(names, name)
		uses = append(uses, name+"="+value)
	}
	return strings.Join(uses, ", "), nil
}
