package store

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"tocsin"
)

func (s *shelf) filesFrom(t *testing.T, network, title string, domains ...string) string {
	t.Helper()
	f, err := s.FileReport(t.Context(), Filing{
		Draft: story(t, title, domains...), Network: netip.MustParsePrefix(network),
	})
	do(t, err)
	return f.Report.ID
}

func (s *shelf) selects(t *testing.T, sel Selection) string {
	t.Helper()
	found, err := s.Select(t.Context(), sel, 100)
	do(t, err)
	var titles []string
	for _, r := range found.First {
		titles = append(titles, r.Title)
	}
	equal(t, "ids", len(found.IDs), len(titles))
	return strings.Join(titles, " ")
}

func TestTheReportsOfAnAnonymousSourceAreFoundByOneOfThemWhileItsSaltsLive(t *testing.T) {
	s := fresh(t)
	const flood, honest = "198.51.100.0/24", "203.0.113.0/24"
	first := s.filesFrom(t, flood, "one", "evil.com")
	s.filesFrom(t, honest, "honest", "evil.com")
	s.filesFrom(t, flood, "two", "worse.com")
	keyed := s.files(t, story(t, "keyed", "evil.com"), s.agent(t))
	s.sleep(13 * time.Hour) // past midnight: another salt
	third := s.filesFrom(t, flood, "three", "evil.com")
	equal(t, "by the first", s.selects(t, Selection{SameSource: first}), "three two one")
	equal(t, "by the last", s.selects(t, Selection{SameSource: third}), "three two one")
	fails := func(id, pattern string) {
		t.Helper()
		_, err := s.Select(t.Context(), Selection{SameSource: id}, 1)
		if err == nil || !strings.Contains(err.Error(), pattern) {
			t.Errorf("%s: %v", id, err)
		}
	}
	fails("rep_unknown", "no report")
	fails(keyed.Report.ID, "by the agent "+keyed.Report.Reporter.ID)
	s.imports(t, "told", told(story(t, "told", "evil.com"), "k"))
	fails(s.mustFind(t, Selection{Source: "told"}), "from the list told")
	s.sleep(24 * time.Hour) // the salt of the first day is gone
	eventually(t, "the hashes are deleted with the salts", func() bool {
		_, err := s.Select(t.Context(), Selection{SameSource: first}, 1)
		return err != nil
	})
	fails(first, "filed on 2026-03-04")
	equal(t, "a day later", s.selects(t, Selection{SameSource: third}), "three")
	fourth := s.filesFrom(t, flood, "four", "evil.com")
	for _, id := range []string{third, fourth} {
		equal(t, "with the one of that day", s.selects(t, Selection{SameSource: id}), "four three")
	}
	s.sleep(48 * time.Hour)
	eventually(t, "nothing is left", func() bool {
		rows := -1
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			return c.row(t.Context(), "SELECT count(*) FROM origin", nil, &rows)
		}))
		return rows == 0
	})
}

func (s *shelf) mustFind(t *testing.T, sel Selection) string {
	t.Helper()
	found, err := s.Select(t.Context(), sel, 1)
	do(t, err)
	if len(found.IDs) != 1 {
		t.Fatalf("%+v finds %v", sel, found.IDs)
	}
	return found.IDs[0]
}

func TestASelectionFindsReportsOfAnyStatus(t *testing.T) {
	s := fresh(t)
	by := s.agent(t)
	s.files(t, story(t, "old", "evil.com"), by)
	s.sleep(time.Hour)
	since := s.Now()
	d := story(t, "Refunds for Victims", "worse.com")
	d.Evidence.URLs = []string{"https://refund-claims-portal.com/start"}
	d.Evidence.TransactionHashes = []string{"0x" + strings.Repeat("ab", 32)}
	d.ScammerAddresses, d.ScammerAccounts = []string{filedOne}, []string{"tron:TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"}
	project := "Refundia"
	d.ReportedHandles, d.SubjectProjectName = []string{"telegram:refund_desk"}, &project
	refund := s.files(t, d, nil)
	s.sleep(time.Hour)
	until := s.Now()
	s.files(t, story(t, "new", "evil.com", "worse.com"), nil)
	do(t, s.Hide(t.Context(), warden, refund.Report.ID))
	for _, c := range []struct {
		sel  Selection
		want string
	}{
		{Selection{}, "new Refunds for Victims old"},
		{Selection{Agent: by.Agent.ID}, "old"},
		{Selection{Agent: "agt_none"}, ""},
		{Selection{Since: &since}, "new Refunds for Victims"},
		{Selection{Until: &until}, "Refunds for Victims old"},
		{Selection{Since: &since, Until: &until}, "Refunds for Victims"},
		{Selection{Status: tocsin.Hidden}, "Refunds for Victims"},
		{Selection{Status: tocsin.Published}, "new old"},
		{Selection{Subject: &worse}, "new Refunds for Victims"},
		{Selection{Subject: &tocsin.Subject{Kind: tocsin.DNS, Value: "worse.co"}}, ""},
		{Selection{Text: "refund-claims-portal.com"}, "Refunds for Victims"},
		{Selection{Text: "REFUNDS for víctims"}, "Refunds for Victims"},
		{Selection{Text: "victims refunds"}, ""},
		{Selection{Text: "worse.com"}, "new Refunds for Victims"}, // each field of a report is looked at
		{Selection{Text: strings.ToUpper(filedOne[2:])}, ""},
		{Selection{Text: filedOne}, "Refunds for Victims"},
		{Selection{Text: "TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"}, "Refunds for Victims"},
		{Selection{Text: "0x" + strings.Repeat("ab", 32)}, "Refunds for Victims"},
		{Selection{Text: "refund_desk"}, "Refunds for Victims"},
		{Selection{Text: "refundia"}, "Refunds for Victims"},
		{Selection{Text: "ictims"}, ""},
		{Selection{Source: tocsin.Community}, "new Refunds for Victims old"},
		{Selection{Source: "nobody"}, ""},
	} {
		equal(t, "selected", s.selects(t, c.sel), c.want)
	}
	if _, err := s.Select(t.Context(), Selection{Text: "!!!"}, 1); codeOf(err) != tocsin.Invalid {
		t.Errorf("a text without words: %v", err)
	}
	found, err := s.Select(t.Context(), Selection{}, 1)
	do(t, err)
	equal(t, "all ids, the first report", []int{len(found.IDs), len(found.First)}, []int{3, 1})
}

// An operator names reports; either all that are changed together are, or none.
func TestOfReportsThatAreChangedTogetherNoneIsChangedIfOneCannotBe(t *testing.T) {
	s := fresh(t)
	a, b := s.files(t, story(t, "a", "evil.com"), nil), s.files(t, story(t, "b", "evil.com"), nil)
	do(t, s.Withdraw(t.Context(), b.Report.ID, b.ManageToken))
	equal(t, "an error", codeOf(s.Hide(t.Context(), warden, a.Report.ID, b.Report.ID)), tocsin.Invalid)
	equal(t, "what counts", dossier(t, s.DB, evil).ReportCount, 1)
	acts, err := s.Acts(t.Context(), ActFilter{Limit: 10})
	do(t, err)
	equal(t, "acts", len(acts), 0)
	do(t, s.Hide(t.Context(), warden, a.Report.ID, a.Report.ID))
	do(t, s.Hide(t.Context(), warden, a.Report.ID)) // changes nothing
	for about, f := range map[string]ActFilter{
		"all":          {Limit: 10},
		"by subject":   {Subject: &evil, Limit: 10},
		"by report":    {Object: a.Report.ID, Limit: 10},
		"by operator":  {Operator: "warden", Limit: 10},
		"since a time": {Since: s.Now(), Limit: 10},
	} {
		acts, err := s.Acts(t.Context(), f)
		do(t, err)
		if len(acts) != 1 || acts[0].Action != HidReports || len(acts[0].Objects) != 1 {
			t.Errorf("%s: %+v", about, acts)
		}
	}
	for about, f := range map[string]ActFilter{
		"of another subject":  {Subject: &worse, Limit: 10},
		"of another report":   {Object: b.Report.ID, Limit: 10},
		"of another operator": {Operator: "wardens", Limit: 10},
		"since later":         {Since: tocsin.MicroTime(s.Now().Micro() + 1), Limit: 10},
	} {
		acts, err := s.Acts(t.Context(), f)
		do(t, err)
		equal(t, about, len(acts), 0)
	}
}
