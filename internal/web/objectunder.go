package web

import (
	"slices"
	"strings"
	"time"

	"tocsin"
)

// ownsNames reports whether the names under the subject are its owner's: it is a domain, and no shared host.
func (p objectPage) ownsNames() bool {
	return !p.Subject.IsAddress() && !p.Shared
}

// sharedHost is the shared host that a site is a page of, by the lists or by its name; "" for none. A registry such as
// co.uk is no host.
func (s *Site) sharedHost(req *request, site tocsin.Subject) (string, error) {
	if site.IsAddress() {
		return "", nil
	}
	parents := site.SelfAndParents()[1:]
	found, err := s.db.AboutAll(req.Context(), parents)
	if err != nil {
		return "", err
	}
	for i, parent := range parents {
		if slices.ContainsFunc(found[i].Listings, func(l tocsin.Listing) bool {
			return l.Kind == tocsin.Shared && l.Subject == parent
		}) {
			return parent.Value, nil
		}
	}
	_, above, _ := strings.Cut(site.Owner().Value, ".")
	if host, fault := tocsin.ParseDomain(above); fault != nil || !host.Shared() || host.Registry() {
		return "", nil
	}
	return above, nil
}

// UnderUnknown reports whether nobody knows here which names under the domain are on record.
func (p objectPage) UnderUnknown() bool { return p.ownsNames() && !p.UnderKnown }

// UnderCount is how many names under the domain are on record, in words.
func (p objectPage) UnderCount() string {
	n := p.Lang.Number(int64(len(p.Under)))
	if len(p.Under) == maxUnder {
		return p.Lang.Text("%s or more", n)
	}
	return n
}

// FirstUnder are those names under the domain that the page names.
func (p objectPage) FirstUnder() []tocsin.Subject { return p.Under[:min(len(p.Under), shownUnder)] }

// KeptDays is for how many days the page shows what a list has dropped; 0 for good.
func (p objectPage) KeptDays() int { return int(p.Kept / (24 * time.Hour)) }

// EarlierUntil is when the last of what lists have dropped is shown no more; nil if it is kept for good.
func (p objectPage) EarlierUntil() *tocsin.Time {
	rows := p.Earlier()
	if p.Kept == 0 || len(rows) == 0 {
		return nil
	}
	until := tocsin.TimeOf(rows[0].Dropped.Std().Add(p.Kept))
	return &until
}
