package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// recorded is what the tables say about a report.
type recorded struct {
	id, source, agent  string // agent: "" if anonymous
	crime              tocsin.CrimeType
	status             tocsin.Status
	created, published int64
}

func (s *shelf) recorded(t *testing.T) (all []recorded) {
	t.Helper()
	do(t, s.read(t.Context(), primary, func(c *conn) error {
		return c.each(t.Context(), `SELECT r.id, coalesce((SELECT name FROM list WHERE id = r.list), 'community'),
				coalesce((SELECT public FROM agent WHERE id = r.agent), ''), r.crime_type, r.status, r.created, r.published
			FROM report r ORDER BY r.seq`, nil, func(rows *sql.Rows) error {
			var r recorded
			err := rows.Scan(&r.id, &r.source, &r.agent, &r.crime, &r.status, &r.created, &r.published)
			all = append(all, r)
			return err
		})
	}))
	return all
}

// someOfEverything records reports of every source, crime type and status.
func someOfEverything(t *testing.T) (s *shelf, agents []*Caller) {
	s = fresh(t)
	agents = []*Caller{nil, s.agent(t), s.agent(t)}
	crimes := []tocsin.CrimeType{tocsin.Phishing, tocsin.Scam}
	for i := range 18 {
		if i%9 == 4 { // the second time one story is gone, and one has changed
			var stories []tocsin.Entry
			for k := range 4 - i/9 {
				d := story(t, fmt.Sprint("Told ", max(k, i/9)), "worse.com")
				if d.CrimeType = crimes[k%2]; k != 1 { // that one has no date
					d.SourceDate = tocsin.TimeOf(noon.Add(time.Duration(-k) * time.Hour))
				}
				stories = append(stories, told(d, fmt.Sprint(k)))
			}
			s.imports(t, "list", stories...)
		}
		s.sleep(time.Minute)
		d := story(t, fmt.Sprint("Filed ", i), [][]string{
			{"evil.com"}, {"www.evil.com"}, {"www.evil.com", "evil.com"}, {"third.com"},
		}[i%4]...)
		d.CrimeType = crimes[i/3%2]
		f := s.files(t, d, agents[i%3])
		switch i % 8 {
		case 3:
			do(t, s.Hide(t.Context(), Operator{}, f.Report.ID))
		case 6:
			do(t, s.Withdraw(t.Context(), f.Report.ID, f.ManageToken))
		}
	}
	return s, agents
}

// TestAFilterSelectsWhatItSays holds every combination of filters, page by page,
// against what the tables say.
func TestAFilterSelectsWhatItSays(t *testing.T) {
	s, agents := someOfEverything(t)
	all := s.recorded(t)
	seen := map[any]bool{}
	for _, r := range all {
		seen[r.status], seen[r.source], seen[r.agent] = true, true, true
	}
	equal(t, "statuses, sources and agents", len(seen), 4+2+3)
	middle := tocsin.MicroTime(all[len(all)/2].created)
	epoch, before := tocsin.MicroTime(0), tocsin.MicroTime(middle.Micro()-1)
	future := tocsin.MicroTime(all[len(all)-1].created + 1_000_000)
	for _, since := range []*tocsin.Time{nil, &epoch, &before, &middle, &future} {
		for _, crime := range []tocsin.CrimeType{"", tocsin.Phishing, tocsin.Scam} {
			for _, source := range []string{"", tocsin.Community, "list"} {
				for _, agent := range []string{"", agents[1].Agent.ID, "agt_unknown"} {
					f := Filter{CrimeType: crime, Source: source, Agent: agent, Since: since}
					f.Limit = 4
					var want []recorded
					for _, r := range all {
						if (crime == "" || r.crime == crime) && (source == "" || r.source == source) &&
							(agent == "" || r.agent == agent) && (since == nil || r.created > since.Micro()) &&
							r.status == tocsin.Published {
							want = append(want, r)
						}
					}
					if since == nil {
						slices.Reverse(want)
						slices.SortStableFunc(want, laterFirst)
					}
					equal(t, fmt.Sprintf("%+v since %v", f, since), s.pages(t, f), want)
				}
			}
		}
	}
}

// TestASourceThatIsNotOnRecordIsNamed, since without reports it would look as if nothing had happened.
func TestASourceThatIsNotOnRecordIsNamed(t *testing.T) {
	s, _ := someOfEverything(t)
	_, err := s.Reports(t.Context(), Filter{Source: "unknown"})
	var fault *tocsin.Error
	if !errors.As(err, &fault) || fault.Fields[0].Field != "source" || !strings.Contains(err.Error(), `"unknown"`) {
		t.Errorf("%v", err)
	}
}

// laterFirst is the order of reports by their dates, those without one last.
func laterFirst(a, b recorded) int { return cmp.Compare(b.published, a.published) }

// pages reads all pages of a list.
func (s *shelf) pages(t *testing.T, f Filter) (got []recorded) {
	t.Helper()
	for range 100 {
		page, err := s.Reports(t.Context(), f)
		if err != nil || len(page.Reports) > f.Limit {
			t.Fatal(len(page.Reports), err)
		}
		for _, r := range page.Reports {
			by := ""
			if r.Reporter != nil {
				by = r.Reporter.ID
			}
			published := int64(0)
			if r.PublishedAt != nil {
				published = r.PublishedAt.Micro()
			}
			got = append(got, recorded{r.ID, r.Source, by, r.CrimeType, r.Status, r.CreatedAt.Micro(), published})
		}
		if f.Since != nil && page.NextCursor != "" {
			t.Error("a page since a time has a cursor")
		}
		f.Cursor = page.NextCursor
		if f.Since != nil && len(page.Reports) > 0 {
			f.Since = &page.NextSince
		} else if f.Cursor == "" {
			return got
		}
	}
	t.Fatal("there is always another page")
	return nil
}

// TestADossierAddsUpWhatIsOnRecord about a name and its parent. A report that
// names both counts once.
func TestADossierAddsUpWhatIsOnRecord(t *testing.T) {
	s, _ := someOfEverything(t)
	named := map[string][]string{} // by report
	do(t, s.read(t.Context(), primary, func(c *conn) error {
		return c.each(t.Context(), "SELECT id, body FROM report", nil,
			func(rows *sql.Rows) error {
				var id, text string
				if err := rows.Scan(&id, &text); err != nil {
					return err
				}
				var d tocsin.Draft
				err := json.Unmarshal([]byte(text), &d)
				named[id] = d.ReportedDomains
				return err
			})
	}))
	for _, name := range []string{"www.evil.com", "evil.com", "worse.com", "third.com", "unknown.com"} {
		subject := tocsin.Subject{Kind: tocsin.DNS, Value: name}
		var want tocsin.Dossier
		counts := map[string]int{} // by name
		groups := map[string]tocsin.ReporterGroup{}
		all := s.recorded(t)
		slices.Reverse(all)
		slices.SortStableFunc(all, laterFirst)
		for _, r := range all {
			about := false
			for _, p := range subject.SelfAndParents() {
				if r.status == tocsin.Published && slices.Contains(named[r.id], p.Value) {
					counts[p.Value]++
					about = true
				}
			}
			if !about {
				continue
			}
			at := tocsin.MicroTime(r.published)
			if r.published != 0 {
				if want.First = at; want.Last == (tocsin.Time{}) {
					want.Last = at
				}
			}
			want.ReportCount++
			if !slices.Contains(want.CrimeTypes, r.crime) {
				want.CrimeTypes = append(want.CrimeTypes, r.crime)
			}
			want.Reports = append(want.Reports, tocsin.Report{ID: r.id})
			if r.source == tocsin.Community {
				g := groups[r.agent]
				if g.Oldest = at; g.Reports == 0 {
					g.Newest = at
				}
				g.Reports++
				groups[r.agent] = g
			}
		}
		got := dossier(t, s.DB, subject)
		slices.Sort(want.CrimeTypes)
		crimes := slices.Sorted(slices.Values(got.CrimeTypes))
		equal(t, name, []any{got.ReportCount, crimes}, []any{want.ReportCount, want.CrimeTypes})
		if want.ReportCount > 0 {
			equal(t, name+": first and last", []any{got.First, got.Last}, []any{want.First, want.Last})
		}
		equal(t, name+": groups", len(got.Reporters), len(groups))
		for _, g := range got.Reporters {
			w := groups[g.Agent]
			equal(t, name+": "+g.Agent, []any{g.Reports, g.Oldest, g.Newest}, []any{w.Reports, w.Oldest, w.Newest})
		}
		for i, r := range got.Reports {
			equal(t, name+": reports", r.ID, want.Reports[i].ID)
		}
		equal(t, name+": reports", len(got.Reports), want.ReportCount)
		for _, m := range got.Matches {
			equal(t, name+": "+m.Domain, []any{m.ReportCount, m.Match == "exact"}, []any{counts[m.Domain], m.Domain == name})
			delete(counts, m.Domain)
		}
		equal(t, name+": names without a match", len(counts), 0)
	}
}

func TestTheNumbersOfTheServiceAddUp(t *testing.T) {
	s, _ := someOfEverything(t)
	s.imports(t, "a list", listing(evil, nil), listing(worse, nil))
	s.sleep(time.Minute)
	byCrime, bySource, all := map[tocsin.CrimeType]int{}, map[string]int{}, 0
	for _, r := range s.recorded(t) {
		if r.status == tocsin.Published {
			byCrime[r.crime]++
			bySource[r.source]++
			all++
		}
	}
	st, err := s.Stats(t.Context())
	do(t, err)
	equal(t, "reports", []any{st.Reports, st.Filed, st.ByCrime}, []any{all, bySource[tocsin.Community], byCrime})
	equal(t, "subjects, as of", []any{st.Subjects, st.AsOf}, []any{count(t, s.DB, "subject"), s.Now()})
	imported, first := st.Lists[0].Imported, st.Lists[1].Recorded
	equal(t, "since the first import", first.Std().Before(st.Lists[1].Imported.Std()), true)
	equal(t, "lists", st.Lists, []ListStats{
		{Name: "a list", URL: "https://lists.example", Listings: 2, Imported: imported,
			Recorded: &imported},
		{Name: "list", URL: "https://lists.example", Reports: bySource["list"], Imported: st.Lists[1].Imported,
			Recorded: first},
	})
	equal(t, "imported", s.Now().Micro()-imported.Micro(), time.Minute.Microseconds())
}
