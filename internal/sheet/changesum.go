package sheet

import (
	"strconv"
	"strings"
)

// Count is how many changes are of a kind.
func (c *Comparison) Count(kind ChangeKind) (n int) {
	for _, change := range c.Changes {
		if change.Kind == kind {
			n++
		}
	}
	return n
}

// Sum says in one line how many rows have changed, and how.
func (c *Comparison) Sum() string {
	var kinds []string
	for _, kind := range ChangeKinds {
		if n := c.Count(kind); n > 0 || kind == NewSanction {
			kinds = append(kinds, string(kind)+": "+strconv.Itoa(n))
		}
	}
	at := c.Earlier.ScreenedAt
	if at == "" {
		at = unknown
	}
	return "compared " + strconv.Itoa(c.Rows) + " rows with those of " + at + ": " + strings.Join(kinds, ", ")
}

// Removed are the lists that were removed here and named rows of the earlier table.
func (c *Comparison) Removed() []string {
	return c.lists(func(change Change) []string { return change.removed })
}

// Outdated are the lists that named rows of the earlier table, and of which an older version was read here.
func (c *Comparison) Outdated() []string {
	return c.lists(func(change Change) []string { return change.outdated })
}

func (c *Comparison) lists(of func(Change) []string) (all []string) {
	for _, change := range c.Changes {
		all = append(all, without(of(change), all)...)
	}
	return all
}
