package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// codeOf is the code of a fault, "" for none.
func codeOf(err error) tocsin.Code {
	var fault *tocsin.Error
	if errors.As(err, &fault) {
		return fault.Code
	}
	if err != nil {
		return tocsin.Code(err.Error())
	}
	return ""
}

// TestWhichStatusMayFollowWhich, and in which a report counts and is found.
func TestWhichStatusMayFollowWhich(t *testing.T) {
	s := fresh(t)
	hide := func(f Filed) error { return s.Hide(t.Context(), Operator{}, f.Report.ID) }
	restore := func(f Filed) error { return s.Restore(t.Context(), Operator{}, f.Report.ID) }
	withdraw := func(f Filed) error { return s.Withdraw(t.Context(), f.Report.ID, f.ManageToken) }
	for i, c := range []struct {
		acts []func(Filed) error
		err  tocsin.Code // of the last one
		want tocsin.Status
		code tocsin.Code // when it is asked for
	}{
		{nil, "", tocsin.Published, ""},
		{[]func(Filed) error{restore}, "", tocsin.Published, ""},
		{[]func(Filed) error{hide}, "", tocsin.Hidden, tocsin.ReportHidden},
		{[]func(Filed) error{hide, hide}, "", tocsin.Hidden, tocsin.ReportHidden},
		{[]func(Filed) error{hide, restore}, "", tocsin.Published, ""},
		{[]func(Filed) error{hide, restore, restore}, "", tocsin.Published, ""},
		{[]func(Filed) error{withdraw}, "", tocsin.Withdrawn, tocsin.ReportWithdrawn},
		{[]func(Filed) error{withdraw, withdraw}, "", tocsin.Withdrawn, tocsin.ReportWithdrawn},
		{[]func(Filed) error{hide, withdraw}, "", tocsin.Withdrawn, tocsin.ReportWithdrawn},
		{[]func(Filed) error{withdraw, hide}, tocsin.Invalid, tocsin.Withdrawn, tocsin.ReportWithdrawn},
		{[]func(Filed) error{hide, withdraw, restore}, tocsin.Invalid, tocsin.Withdrawn, tocsin.ReportWithdrawn},
	} {
		about, word := fmt.Sprint("case ", i), fmt.Sprintf("word%d", i)
		name := tocsin.Subject{Kind: tocsin.DNS, Value: word + ".com"}
		f := s.files(t, story(t, "A "+word, name.Value), nil)
		var err error
		for _, act := range c.acts {
			err = act(f)
		}
		equal(t, about+": the last act", codeOf(err), c.err)
		r, err := s.AnyReport(t.Context(), f.Report.ID)
		equal(t, about+": status", []any{r.Status, err}, []any{c.want, nil})
		_, err = s.Report(t.Context(), f.Report.ID)
		equal(t, about+": asked for", codeOf(err), c.code)
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: word}}, "", Page{Limit: 5})
		do(t, err)
		n := map[tocsin.Status]int{tocsin.Published: 1}[c.want]
		equal(t, about+": counted and found", []int{dossier(t, s.DB, name).ReportCount, len(found.Reports), found.Found},
			[]int{n, n, n})
	}
}

// TestWhoAsksForAReportThatIsGoneLearnsSinceWhen, and nothing of what it said; of one that was erased nothing at all.
func TestWhoAsksForAReportThatIsGoneLearnsSinceWhen(t *testing.T) {
	s := fresh(t)
	filed, later := s.files(t, story(t, "A story", "evil.com"), nil), s.files(t, story(t, "Another", "worse.com"), nil)
	at := func(id string) string {
		_, err := s.Report(t.Context(), id)
		var fault *tocsin.Error
		if !errors.As(err, &fault) || strings.Contains(fault.Error(), "story") || len(fault.Fields) > 0 {
			t.Fatal(err)
		}
		if fault.At == nil {
			return string(fault.Code) + ": " + fault.Detail
		}
		return fmt.Sprint(fault.Code, " ", fault.At, ": ", fault.Detail)
	}
	hide := func(id string) { do(t, s.Hide(t.Context(), Operator{}, id)) }
	hide(filed.Report.ID)
	do(t, s.Restore(t.Context(), Operator{}, filed.Report.ID))
	s.sleep(48 * time.Hour)
	hide(filed.Report.ID)
	day := s.Now().Std().UTC().Format(time.DateOnly)
	equal(t, "hidden again", at(filed.Report.ID), fmt.Sprint("report_hidden ", s.Now(),
		": The operator has hidden this report, on ", day))
	s.sleep(24 * time.Hour)
	do(t, s.Withdraw(t.Context(), filed.Report.ID, filed.ManageToken))
	withdrawn := fmt.Sprint("report_withdrawn ", s.Now(), ": Its reporter has withdrawn this report, on ",
		s.Now().Std().UTC().Format(time.DateOnly))
	equal(t, "withdrawn", at(filed.Report.ID), withdrawn)
	hide(later.Report.ID)
	_, _, err := s.Erase(t.Context(), Operator{}, later.Report.ID)
	do(t, err)
	equal(t, "erased", at(later.Report.ID), `not_found: there is no report "`+later.Report.ID+`"`)

	s.imports(t, "list", told(story(t, "told", "bad.com"), "1"))
	listed := dossier(t, s.DB, tocsin.Subject{Kind: tocsin.DNS, Value: "bad.com"}).Reports[0].ID
	s.imports(t, "list", told(story(t, "told otherwise", "bad.com"), "1"))
	equal(t, "what its list has changed", at(listed),
		"report_dropped: The list that this report comes from has it no longer")
}

func TestNobodyWithdrawsWhatIsNotTheirs(t *testing.T) {
	s := fresh(t)
	f, other := s.files(t, story(t, "a", "evil.com"), nil), s.files(t, story(t, "b", "evil.com"), nil)
	s.imports(t, "list", told(story(t, "told", "worse.com"), "1"))
	listed := dossier(t, s.DB, worse).Reports[0].ID
	for _, c := range []struct {
		id, token string
		want      tocsin.Code
	}{
		{f.Report.ID, other.ManageToken, tocsin.Forbidden}, {f.Report.ID, "", tocsin.Forbidden},
		{listed, "", tocsin.Forbidden}, {listed, f.ManageToken, tocsin.Forbidden},
		{"rep_unknown", f.ManageToken, tocsin.NotFound}, {f.Report.ID, f.ManageToken, ""},
	} {
		equal(t, c.id+" "+c.token, codeOf(s.Withdraw(t.Context(), c.id, c.token)), c.want)
	}
	for _, id := range []string{"rep_unknown", ""} {
		_, err := s.Report(t.Context(), id)
		equal(t, "unknown", []tocsin.Code{codeOf(s.Hide(t.Context(), Operator{}, id)),
			codeOf(s.Restore(t.Context(), Operator{}, id)), codeOf(err)},
			[]tocsin.Code{tocsin.NotFound, tocsin.NotFound, tocsin.NotFound})
	}
	s.imports(t, "list", told(story(t, "told otherwise", "worse.com"), "1"))
	equal(t, "what its list has changed", []tocsin.Code{codeOf(s.Hide(t.Context(), Operator{}, listed)),
		codeOf(s.Restore(t.Context(), Operator{}, listed))}, []tocsin.Code{tocsin.Invalid, tocsin.Invalid})
}

func TestAFilingIsAnsweredAsItIsOnRecord(t *testing.T) {
	s := fresh(t)
	wallet := tocsin.Address{19: 7}
	made, err := s.CreateKey(t.Context(), &wallet, "Watchman", nil)
	do(t, err)
	named, err := s.Caller(t.Context(), made.Key)
	do(t, err)
	for i, by := range []*Caller{nil, s.agent(t), named} {
		f := s.files(t, story(t, fmt.Sprint("Filed ", i), "evil.com", "worse.com"), by)
		r, err := s.AnyReport(t.Context(), f.Report.ID)
		do(t, err)
		got, err := json.Marshal(f.Report)
		do(t, err)
		want, err := json.Marshal(r)
		do(t, err)
		equal(t, "report", string(got), string(want))
		equal(t, "source and dates", []any{r.Source, r.CreatedAt, *r.PublishedAt},
			[]any{tocsin.Community, tocsin.MicroTime(s.Now().Micro() + int64(i)), r.CreatedAt})
		equal(t, "reporter", r.Reporter != nil, by != nil)
		again := s.files(t, story(t, fmt.Sprint("Filed ", i), "evil.com", "worse.com"), by)
		equal(t, "again", []any{again.Report.ID, again.Duplicate, again.ManageToken}, []any{r.ID, true, ""})
	}
}

// TestWhichFilingComesTwice: the caller, the body and the key decide.
func TestWhichFilingComesTwice(t *testing.T) {
	s := fresh(t)
	a, b := s.agent(t), s.agent(t)
	elsewhere := netip.MustParsePrefix("198.51.100.0/24")
	first, other, third := story(t, "First", "evil.com"), story(t, "Other", "evil.com"), story(t, "Third", "evil.com")
	file := func(f Filing) (string, string) {
		t.Helper()
		before, found, err := s.FiledBefore(t.Context(), f)
		made, again := s.FileReport(t.Context(), f)
		equal(t, "found before it is filed", []any{found, before.Report.ID, codeOf(err)},
			[]any{made.Duplicate, map[bool]string{true: made.Report.ID}[made.Duplicate], codeOf(again)})
		if again != nil {
			return string(codeOf(again)), ""
		}
		return made.Report.ID, made.ManageToken
	}
	id, token := file(Filing{Draft: first, By: a, Network: network, IdempotencyKey: "k"})
	for _, c := range []struct {
		about string
		f     Filing
		want  string // "": another report
	}{
		{"from elsewhere", Filing{Draft: first, By: a, Network: elsewhere}, id},
		{"with the key", Filing{Draft: first, By: a, IdempotencyKey: "k"}, id},
		{"with another key", Filing{Draft: first, By: a, IdempotencyKey: "l"}, id},
		{"another body with the key", Filing{Draft: other, By: a, IdempotencyKey: "k"}, string(tocsin.IdempotencyReuse)},
		{"another body", Filing{Draft: other, By: a}, ""},
		{"a third with a key", Filing{Draft: third, By: a, IdempotencyKey: "m"}, ""},
		{"the first body with that key", Filing{Draft: first, By: a, IdempotencyKey: "m"}, string(tocsin.IdempotencyReuse)},
		{"another agent", Filing{Draft: first, By: b, IdempotencyKey: "k"}, ""},
		{"nobody", Filing{Draft: first, Network: network, IdempotencyKey: "k"}, ""},
		{"nobody from elsewhere", Filing{Draft: first, Network: elsewhere, IdempotencyKey: "k"}, ""},
	} {
		got, _ := file(c.f)
		equal(t, c.about, []bool{got == c.want, got == id}, []bool{c.want != "", c.want == id})
	}
	do(t, s.Hide(t.Context(), Operator{}, id))
	got, _ := file(Filing{Draft: first, By: a})
	equal(t, "hidden", got, id)
	do(t, s.Withdraw(t.Context(), id, token))
	again, _ := file(Filing{Draft: first, By: a})
	equal(t, "withdrawn", again != id, true)
	got, _ = file(Filing{Draft: first, By: a})
	equal(t, "the new one", got, again)
	got, _ = file(Filing{Draft: first, By: a, IdempotencyKey: "k"})
	equal(t, "withdrawn, with its key", got, string(tocsin.ReportWithdrawn))
	got, _ = file(Filing{Draft: other, By: a, IdempotencyKey: "k"})
	equal(t, "another body with its key", got, string(tocsin.IdempotencyReuse))
	s.sleep(24*time.Hour - time.Microsecond)
	got, _ = file(Filing{Draft: first, By: a})
	equal(t, "within a day", got, again)
	s.sleep(time.Microsecond)
	got, _ = file(Filing{Draft: other, By: a, IdempotencyKey: "k"})
	equal(t, "the key after a day", got != string(tocsin.IdempotencyReuse) && got != again, true)
}

// TestARepeatDoesNotFileWhatWasWithdrawn: a queue that delivers twice sends the same report with the same
// Idempotency-Key; its reporter files it anew with another one, or without.
func TestARepeatDoesNotFileWhatWasWithdrawn(t *testing.T) {
	s := fresh(t)
	draft := story(t, "Title", "evil.com")
	for about, by := range map[string]*Caller{"with a key": s.agent(t), "anonymous": nil} {
		f := Filing{Draft: draft, By: by, Network: network, IdempotencyKey: "0b0f5e63-8c3e-4a2a-8a57-4df2b63c1f6e"}
		filed, err := s.FileReport(t.Context(), f)
		do(t, err)
		do(t, s.Withdraw(t.Context(), filed.Report.ID, filed.ManageToken))
		for range 2 {
			_, err = s.FileReport(t.Context(), f)
			equal(t, about+": repeated", codeOf(err), tocsin.ReportWithdrawn)
		}
		s.sleep(24*time.Hour - time.Microsecond)
		_, err = s.FileReport(t.Context(), f)
		equal(t, about+": within a day", codeOf(err), tocsin.ReportWithdrawn)
		for _, key := range []string{"", "0b0f5e63-8c3e-4a2a-8a57-4df2b63c1f6f"} {
			f.IdempotencyKey = key
			anew, err := s.FileReport(t.Context(), f)
			do(t, err)
			equal(t, about+": filed anew", []bool{anew.Duplicate, anew.Report.ID == filed.Report.ID}, []bool{false, false})
			do(t, s.Withdraw(t.Context(), anew.Report.ID, anew.ManageToken))
		}
	}
}
