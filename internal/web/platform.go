package web

import (
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// platforms are the services with names that people write as @lena, the most likely first.
var platforms = []string{"telegram", "instagram", "x", "facebook", "discord"}

// platform is a service to choose.
type platform struct {
	Service string
	Name    locale.Key
}

// Platforms are the services to choose from for [form.Nameless].
func (f *form) Platforms() (all []platform) {
	for _, service := range platforms {
		all = append(all, platform{service, serviceNames[service]})
	}
	return all
}

// nameOf returns the name of a handle of which nobody knows the service, such as @lena, and "" for another.
func nameOf(i paste.Item) string {
	if name, ok := strings.CutPrefix(i.Text, "name:"); ok && i.Field == paste.Handles && strings.HasPrefix(name, "@") {
		return name
	}
	return ""
}

// Nameless are the names such as @lena that were typed without their service, which is then asked for; "" for none.
func (f *form) Nameless() string {
	var names []string
	for _, i := range paste.Read(paste.Things, f.Field(thingsField).Text).Items {
		if name := nameOf(i); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return f.lang.List(names...)
}

var (
	// saidBefore and saidAfter match the platform that a story names beside a name: "por Telegram (@lena)", "@lena on X".
	saidBefore = regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])(` + saidPlatforms + `)[^\pL\pN@]{1,3}@?$`)
	saidAfter  = regexp.MustCompile(`(?i)^[^\pL\pN_@]{1,3}(?:\pL{1,3} )?(` + saidPlatforms + `)(?:[^\pL\pN_]|$)`)
	moreOfName = regexp.MustCompile(`^[\pL\pN_]`)
)

// saidPlatforms are the platforms as a story calls them. X alone is also a letter.
const saidPlatforms = `telegram|instagram|facebook|discord|twitter`

// SaidPlatform is the platform that the story names beside the name in [form.Nameless], to be chosen already; "" if it
// names none or several.
func (f *form) SaidPlatform() (said string) {
	story := strings.ToLower(f.Field(titleField).Text + "\n" + f.Field(storyField).Text)
	name := strings.ToLower(strings.TrimPrefix(f.Nameless(), "@"))
	if name == "" {
		return ""
	}
	for before, rest, more := strings.Cut(story, name); more; before, rest, more = strings.Cut(rest, name) {
		if moreOfName.MatchString(rest) {
			continue // it is the beginning of another name
		}
		for _, m := range [][]string{saidBefore.FindStringSubmatch(before), saidAfter.FindStringSubmatch(rest)} {
			if m == nil {
				continue
			}
			service := strings.Replace(m[1], "twitter", "x", 1)
			if said != "" && said != service {
				return ""
			}
			said = service
		}
	}
	return said
}

// placeNames makes handles of the chosen service of the names that were typed without one. Without a choice they stay
// names, by which the report is found as well.
func (f *form) placeNames() {
	service := f.Field(platformField).Text
	if service == "" {
		return
	}
	for i, one := range f.items[paste.Handles] {
		name := nameOf(one.Item)
		if name == "" {
			continue
		}
		h, fault := tocsin.ParseHandle(service + ":" + name)
		if fault != nil {
			f.Field(platformField).addProblem(f.lang.Text("%s has no such names", serviceNames[service]),
				f.lang.Text("%s has no names like %s. Choose another platform, or “I do not know”.",
					serviceNames[service], tocsin.Clip(name, 40)))
			continue
		}
		f.items[paste.Handles][i].Text = h.String()
	}
}
