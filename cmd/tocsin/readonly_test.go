package main

import (
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// TestAServiceThatIsReadOnlyAnswersAndRecordsNothing: the steps of moving to another host (docs/operate.md).
func TestAServiceThatIsReadOnlyAnswersAndRecordsNothing(t *testing.T) {
	m := newMachine(t)
	old := m.serve()
	key := m.newKey()
	id := old.file(key, "Before the move", "before-tocsin.com")
	m.want("before", m.must("read-only"), "It is not read-only: everything is taken.\n")
	m.want("on", strings.HasPrefix(m.must("read-only", "on", "-reason", "move"), "It is read-only:"), true)

	refused := old.call("/community-reports", key, story("Too late", "late-tocsin.com"))
	m.want("a filing", []any{refused.status, refused.header.Get("Retry-After"), refused.body["code"]},
		[]any{http.StatusServiceUnavailable, "30", "unavailable"})
	detail, _ := refused.body["detail"].(string)
	m.want("its reason", strings.Contains(detail, "has made this service read-only for a while. New reports"), true)
	m.want("a call with a key", old.screen("before-tocsin.com", key).status, http.StatusOK)
	m.want("it is counted", old.call("/me", key, nil).body["apiCallCount"], 1.0)
	m.want("a sign-in", old.call("/auth/nonce", "", nil).status, http.StatusServiceUnavailable)
	status, page := old.page("/screen/before-tocsin.com")
	m.want("a look-up on the site", []any{status, strings.Contains(page, "Before the move")}, []any{http.StatusOK, true})
	_, page = old.page("/report")
	m.want("the form", strings.Contains(page, "Nothing is recorded at the moment"), true)
	res, err := http.PostForm(old.url+"/report", url.Values{"things": {"late-tocsin.com"}, "crimeType": {"phishing"},
		"story": {"It took all that I had, and then some more."}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	m.want("a form that is sent", res.StatusCode >= 400, true)
	m.soon("the status", func() bool {
		_, page := old.page("/status")
		return strings.Contains(page, "The service is read-only at the moment.")
	})
	m.want("for programs", old.call("/status", "", nil).body["readOnly"], true)
	for _, args := range [][]string{{"import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com")},
		{"key", "create"}, {"filing", "closed"}, {"report", "hide", id}} {
		m.fails(exitFailure, "read-only for a while", args...)
	}

	m.must("backup", "moved.db")
	m.want("a restored copy", strings.HasSuffix(m.must("restore", "-db", "restored.db", "moved.db"),
		"\nIt is read-only, as it was when it was copied. To end that: tocsin read-only off\n"), true)
	moved := m.with("TOCSIN_DB=moved.db")
	next := moved.serve()
	m.want("the copy", next.call("/community-reports", key, story("Too early", "early-tocsin.com")).status,
		http.StatusServiceUnavailable)
	m.want("off", moved.must("read-only", "off"), "It is not read-only: everything is taken.\n")
	next.file(key, "After the move", "after-tocsin.com")
	m.want("what was filed before", next.call("/community-reports/"+id, "", nil).status, http.StatusOK)
	m.want("the old one", old.call("/community-reports", key, story("Too late", "late-tocsin.com")).status,
		http.StatusServiceUnavailable)
	m.want("its end", old.end(syscall.SIGTERM), exitOK)
	m.fails(exitUsage, "say on or off", "read-only", "perhaps")
	m.must("read-only", "off")

	flagged := m.serve("-read-only")
	m.want("with the flag", flagged.call("/community-reports", key, story("Too late", "late-tocsin.com")).status,
		http.StatusServiceUnavailable)
	m.want("others are not", m.must("read-only"), "It is not read-only: everything is taken.\n")
}
