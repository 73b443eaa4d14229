package tocsin

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Handle is a name under which somebody can be reached: an account of a messenger or a social network, a phone
// number, an e-mail address, or a name. Names are given up, resold and chosen to resemble others, so a handle is
// evidence that can be searched for, and never has a score.
//
// Its text is the service, a colon and the name in its canonical form, as in telegram:lena_trades88.
type Handle struct {
	Service string // one of handleServices
	Name    string
}

// String returns the text of the handle, which [ParseHandle] reads.
func (h Handle) String() string { return h.Service + ":" + h.Name }

// service is a service of handles.
type service struct {
	name  string
	hosts []string // of links to an account; the first part of the path is its name
	form  *regexp.Regexp
	says  string              // what a name looks like
	fold  func(string) string // to the canonical form of a name
}

// handleServices are the services in the order in which they are named to callers.
var handleServices = []service{
	{name: "telegram", hosts: []string{"t.me", "telegram.me"}, form: form(`[a-z][a-z0-9_]{3,31}`), fold: small,
		says: "4 to 32 letters, digits or _"},
	{name: "x", hosts: []string{"x.com", "twitter.com"}, form: form(`[a-z0-9_]{1,15}`), fold: small,
		says: "1 to 15 letters, digits or _"},
	{name: "whatsapp", hosts: []string{"wa.me"}, form: form(`\+[1-9][0-9]{6,14}`), fold: digits,
		says: "+ and a number with its country code"},
	{name: "phone", form: form(`\+[1-9][0-9]{6,14}`), fold: digits, says: "+ and a number with its country code"},
	{name: "instagram", hosts: []string{"instagram.com"}, form: form(`[a-z0-9._]{1,30}`), fold: small,
		says: "1 to 30 letters, digits, . or _"},
	{name: "facebook", hosts: []string{"facebook.com", "fb.com", "m.facebook.com"}, form: form(`[a-z0-9.]{3,64}`),
		fold: small, says: "the name in the link to the profile"},
	{name: "discord", form: form(`[a-z0-9._]{2,32}(#[0-9]{4})?`), fold: small, says: "2 to 32 letters, digits, . or _"},
	// Without the / ? and # that the standard allows: evil.example/?for=me@mail.example is a site.
	{name: "email", form: form("[0-9A-Za-z.!$%&'*+=^_`{|}~-]{1,64}@[^\\s@/]{1,253}"), fold: itself,
		says: "an e-mail address"},
	{name: "name", form: form(`.{2,100}`), fold: itself, says: "2 to 100 characters"},
}

func form(text string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + text + `)$`) }

// small returns the name of an account, which these services compare without case.
func small(name string) string { return strings.ToLower(strings.TrimPrefix(name, "@")) }

// mobile matches numbers of mobile phones in Mexico and Argentina with the digit that was, or is, dialled only from
// abroad, and that WhatsApp keeps: without it they are the same numbers.
var mobile = regexp.MustCompile(`^\+(52)1([0-9]{10})$|^\+(54)9([0-9]{10})$`)

// digits returns a number in the form of E.164. It needs the country code: a number without one is another
// person's in the next country.
func digits(number string) string {
	number = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "", "\u00a0", "").Replace(number)
	if rest, ok := strings.CutPrefix(number, "00"); ok {
		number = "+" + rest
	}
	return mobile.ReplaceAllString(number, "+$1$2$3$4")
}

// ParseHandle parses a handle: a service, a colon and a name, a link to an account, or an e-mail address.
func ParseHandle(text string) (Handle, *Error) {
	text = CleanText(text)
	if fault := FindSecret(text); fault != nil {
		return Handle{}, fault
	}
	name, value, ok := strings.Cut(text, ":")
	i := slices.IndexFunc(handleServices, func(s service) bool { return strings.EqualFold(s.name, name) })
	switch link := handleLink(text); {
	case link != (Handle{}):
		return link.parse()
	case ok && strings.EqualFold(name, "mailto"):
		return Handle{"email", value}.parse()
	case ok && i >= 0:
		return Handle{handleServices[i].name, strings.TrimSpace(value)}.parse()
	case strings.Count(text, "@") == 1 && !strings.HasPrefix(text, "@"):
		return Handle{"email", text}.parse()
	}
	names := make([]string, len(handleServices))
	for i, s := range handleServices {
		names[i] = s.name
	}
	return Handle{}, invalidf("send the service, a colon and the name, such as telegram:lena_trades88; services are "+
		strings.Join(names, ", "), "%s does not say of which service it is", quoted(text, 64))
}

// looksLikeHandle reports whether a text begins with the name of a service and a colon, or is an e-mail address, valid
// or not.
func looksLikeHandle(text string) bool {
	text = strings.TrimSpace(text)
	name, _, ok := strings.Cut(text, ":")
	isService := func(s service) bool { return strings.EqualFold(s.name, name) }
	return ok && (strings.EqualFold(name, "mailto") || slices.ContainsFunc(handleServices, isService)) ||
		strings.Contains(text, "@") && !strings.Contains(text, "/")
}

// notNames are first parts of paths that these services use for something else than the name of an account.
var notNames = []string{
	"addstickers", "c", "events", "explore", "groups", "hashtag", "home", "i", "intent", "joinchat", "login",
	"marketplace", "messages", "p", "pages", "people", "photo", "photo.php", "reel", "reels", "s", "search", "send",
	"settings", "share", "sharer", "sharer.php", "stories", "watch",
}

// handleLink returns the handle that a link to an account names, or none.
func handleLink(text string) Handle {
	u, err := url.Parse(Refang(text))
	if err != nil || u.Host == "" {
		if u, err = url.Parse("https://" + Refang(text)); err != nil {
			return Handle{}
		}
	}
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	name, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if name == "profile.php" { // of Facebook
		name = u.Query().Get("id")
	}
	for _, s := range handleServices {
		if name != "" && slices.Contains(s.hosts, host) && !slices.Contains(notNames, strings.ToLower(name)) {
			if s.name == "whatsapp" {
				name = "+" + strings.TrimPrefix(name, "+")
			}
			return Handle{s.name, name}
		}
	}
	return Handle{}
}

// LinksToAccount reports whether a text in small letters ends with the beginning of a link to an account of a service,
// such as t.me/.
func LinksToAccount(text string) bool {
	link, ok := strings.CutSuffix(text, "/")
	return ok && slices.ContainsFunc(handleServices, func(s service) bool {
		return slices.ContainsFunc(s.hosts, func(host string) bool {
			before, ok := strings.CutSuffix(link, host)
			return ok && (before == "" || !isWord(lastRune(before)) && lastRune(before) != '-')
		})
	})
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// parse brings the name into its canonical form.
func (h Handle) parse() (Handle, *Error) {
	i := slices.IndexFunc(handleServices, func(s service) bool { return s.name == h.Service })
	s := handleServices[i]
	h.Name = s.fold(h.Name)
	ok := s.form.MatchString(h.Name)
	if ok && s.name == "email" {
		local, host, _ := strings.Cut(h.Name, "@")
		domain, fault := ParseDomain(host)
		ok, h.Name = fault == nil, local+"@"+domain.String()
	}
	if !ok {
		return Handle{}, invalidf("send "+h.Service+": and "+s.says,
			"%s is not a handle of %s", quoted(h.Name, 64), h.Service)
	}
	return h, nil
}
