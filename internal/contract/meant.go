package contract

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
)

// NoSuchField is the reason of a fault about a name that a caller made up or misspelled.
const NoSuchField = "there is no such field"

// CorrectName says what to do about such a name, and which of those that are known it may be.
func CorrectName(name string, known []string) string {
	if meant := meantName(name, known); meant != "" {
		return "send " + meant + " in its place, or remove it"
	}
	return "remove it, or correct its spelling"
}

// meantName returns the one of the known names that differs least from a name, such as crimeType for crime_type and
// scammerAddresses for scammerAddress; "" if none is near.
func meantName(name string, known []string) (meant string) {
	least := 0
	for _, other := range slices.Sorted(slices.Values(known)) {
		far, near := tocsin.NearName([]string{bareName(name)}, []string{bareName(other)})
		if near && (meant == "" || far < least) {
			meant, least = other, far
		}
	}
	return meant
}

// bareName is a name without what separates its words.
func bareName(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}

// namesAt returns the names that a schema has at a place in a value.
func namesAt(s *jsonschema.Schema, place []string) (names []string) {
	for _, step := range place {
		switch {
		case s == nil:
			return nil
		case s.Items2020 != nil:
			s = s.Items2020
		default:
			s = s.Properties[step]
		}
	}
	if s != nil {
		for name := range s.Properties {
			names = append(names, name)
		}
	}
	return names
}
