package web

import (
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
