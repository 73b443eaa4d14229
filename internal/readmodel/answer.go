package readmodel

import (
	"cmp"
	"slices"

	"tocsin"
)

// Answer is what the model knows of a subject and its parents.
type Answer struct {
	tocsin.Dossier         // without its reports
	Places         []Place // of all its reports, the newest first
}

// About returns what is on record about names[0]; the other names are its parents, nearest first. It is nil if nothing
// is on record about any of them, and ok is false if the database must be asked.
func (m *Model) About(names []tocsin.Subject) (a *Answer, ok bool) {
	var buffer [512]byte
	var found []known
	m.mu.RLock()
	defer m.mu.RUnlock()
	for i, name := range names {
		key := appendKey(buffer[:0], name)
		t, hash := m.table(key)
		value := t.get(hash, key)
		if value == nil {
			continue
		}
		if value[0]&flagAsk != 0 {
			return nil, false
		}
		if found == nil {
			found = make([]known, 0, len(names)-i)
		}
		k := known{subject: name}
		k.Listings, k.mentions = m.encoding.decode(value, name, m.lists)
		found = append(found, k)
	}
	if found == nil {
		return nil, true
	}
	return m.answer(names[0], found), true
}

// known is what was found under one name.
type known struct {
	subject  tocsin.Subject
	Listings []tocsin.Listing
	mentions []Mention
}

// answer puts the answer together that the database gives, see readDossier in package store.
func (m *Model) answer(subject tocsin.Subject, found []known) *Answer {
	a := &Answer{}
	if len(found) == 1 && found[0].subject == subject && subject.IsAddress() {
		a.Listings = found[0].Listings
		m.count(a, subject.Kind, found[0].mentions)
		return a
	}
	records := make([]tocsin.Record, len(found))
	for i, k := range found {
		records[i] = tocsin.Record{Subject: k.subject, Listings: k.Listings, Reports: len(k.mentions)}
	}
	var mentions []Mention
	several := false
	for _, r := range tocsin.ApplicableRecords(subject, records) {
		a.Listings = append(a.Listings, r.Listings...)
		if !subject.IsAddress() {
			match := "parent"
			if r.Subject == subject {
				match = "exact"
			}
			a.Matches = append(a.Matches, tocsin.Match{Domain: r.Subject.Value, Match: match, ReportCount: r.Reports})
		}
		if r.Reports > 0 {
			i := slices.IndexFunc(found, func(k known) bool { return k.subject == r.Subject })
			several = several || mentions != nil
			mentions = append(mentions, found[i].mentions...)
		}
	}
	if several { // a report that names two of the names counts once
		slices.SortFunc(mentions, func(a, b Mention) int {
			return cmp.Or(cmp.Compare(b.Published, a.Published), cmp.Compare(b.Report, a.Report))
		})
		mentions = slices.CompactFunc(mentions, func(a, b Mention) bool { return a.Report == b.Report })
	}
	m.count(a, subject.Kind, mentions)
	return a
}

// count counts the reports by who filed them. They come the newest first.
func (m *Model) count(a *Answer, kind tocsin.Kind, mentions []Mention) {
	if len(mentions) == 0 {
		return
	}
	a.ReportCount = len(mentions)
	a.Places = make([]Place, len(mentions))
	groups := make([]group, 0, 4)
	for i := range mentions {
		r := &mentions[i]
		a.Places[i] = r.Place
		at := tocsin.MicroTime(r.Published)
		if r.Published != 0 {
			if a.First = at; a.Last == (tocsin.Time{}) {
				a.Last = at
			}
		}
		if !slices.Contains(a.CrimeTypes, r.Crime) {
			a.CrimeTypes = append(a.CrimeTypes, r.Crime)
		}
		if r.Told {
			continue // a list's story: the list's listing scores, not the story
		}
		g := slices.IndexFunc(groups, func(g group) bool { return g.agent == r.Agent })
		if g < 0 {
			g = len(groups)
			groups = append(groups, group{agent: r.Agent, ReporterGroup: tocsin.ReporterGroup{Newest: at}})
		}
		groups[g].Reports++
		groups[g].Oldest = at
	}
	if len(groups) == 0 {
		return
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.agent, b.agent) })
	a.Reporters = make([]tocsin.ReporterGroup, len(groups))
	for i, g := range groups {
		g.Since, g.ProvenUntil = tocsin.MicroTime(0), tocsin.MicroTime(0)
		if by := m.agents[g.agent]; by != nil {
			g.Agent, g.Since, g.Network = by.ID, by.Created, by.Network
			if until, proven := by.Proven[kind]; proven {
				g.ProvenUntil = until
			}
		}
		a.Reporters[i] = g.ReporterGroup
	}
}

// group is the reports of one agent.
type group struct {
	agent int64
	tocsin.ReporterGroup
}
