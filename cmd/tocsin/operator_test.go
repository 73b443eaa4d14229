package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// The commands of this file run beside a server, which must obey within a second.

func TestARunningServerTakesANewKeyAndRefusesARevokedOneWithinASecond(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	for _, how := range []string{"whole key", "prefix"} {
		key := m.newKey("-quota", "100000") // or it would soon be refused for want of calls
		m.soon("a new key works", func() bool { return s.screen(example, key).status == http.StatusOK })
		name := key
		if how == "prefix" {
			name = key[:10]
		}
		m.want("revoked by "+how, m.must("key", "revoke", name), "revoked "+key[:12]+"…\n")
		m.soon("a key is refused that was revoked by "+how, func() bool {
			return s.screen(example, key).status == http.StatusPaymentRequired
		})
		m.fails(exitFailure, "no live key", "key", "revoke", name)
	}
}

func TestARunningServerLosesAHiddenReportWithinASecondAndHasItBackWhenRestored(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-quota", "100000")
	scammer, site := address(7), "drained-by-tocsin.com"
	id := s.file(key, "Quixotic drainer", scammer, site)
	s.file("", "Another story", scammer)
	shown := func(n int) bool {
		listed := strings.Contains(fmt.Sprint(s.call("/community-reports?source=community", key, nil).body["reports"]), id)
		one := s.call("/community-reports/"+id, "", nil).status
		return s.screen(scammer, key).body["reportCount"] == float64(1+n) &&
			s.screen("www."+site, key).body["reportCount"] == float64(n) &&
			s.call("/community-reports/search?q=quixotic", key, nil).count("reports") == n &&
			listed == (n == 1) && (one == http.StatusOK) == (n == 1)
	}
	m.soon("it is shown", func() bool { return shown(1) })
	m.want("hide", m.must("report", "hide", id), "hidden "+id+"\n")
	m.soon("it is hidden", func() bool { return shown(0) })
	m.want("code of a hidden report", s.call("/community-reports/"+id, "", nil).status, http.StatusGone)
	report := m.must("report", "show", id)
	if !strings.Contains(report, `"status": "hidden"`) || !strings.Contains(report, "Quixotic drainer") {
		t.Errorf("the operator sees %s", report)
	}
	m.want("hide again", m.must("report", "hide", id), "already hidden: "+id+"\n")
	m.want("restore", m.must("report", "restore", id), "restored "+id+"\n")
	m.soon("it is restored", func() bool { return shown(1) })
}

func TestARunningServerKnowsWhatWasImportedWithinASecond(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	key := m.newKey("-quota", "100000")
	for _, c := range []struct {
		list, subject  string
		lines          []string
		added, reports int
	}{
		{"ndjson", address(1), []string{line("1", "Told in JSON", address(1))}, 2, 1},
		{"csv", "told-in-csv.com", []string{"crimeType,title,description,reportedDomains",
			`phishing,Told in CSV,"It said: ""sign""",told-in-csv.com other-in-csv.com`}, 3, 1},
		{"spmedia", "fake-exchange-tocsin.com", []string{"fake-exchange-tocsin.com"}, 1, 0},
	} {
		m.want("result before "+c.list, s.screen(c.subject, key).body["result"], "no_reports")
		out := m.must("import", "-from", m.write("list-"+c.list, c.lines...), c.list)
		if !strings.HasPrefix(out, fmt.Sprint(c.list, ": added ", c.added)) {
			t.Errorf("%s", out)
		}
		m.soon(c.list, func() bool {
			a := s.screen(c.subject, key)
			return a.body["result"] == "caution" && a.body["reportCount"] == float64(c.reports) && a.count("listings") == 1
		})
	}
}

func TestKeyCreatePrintsTheKeyAlone(t *testing.T) {
	m := newMachine(t)
	r := m.run("key", "create", "-name", "A reporter\n\x1b[31mof ours")
	if r.status != exitOK || !regexp.MustCompile(`^toc_[a-z2-7]{38}\n$`).MatchString(r.out) ||
		r.err != "Began a new database, tocsin.db.\n" { // once: it may be the wrong folder
		t.Errorf("got %+v", r)
	}
	table := m.must("key", "list")
	lines := strings.Split(table, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], r.out[:12]+" ") ||
		!strings.Contains(lines[1], "A reporter [31mof ours") || strings.Contains(table, r.out[:13]) {
		t.Errorf("the list is %q", table)
	}
	m.fails(exitUsage, "-address", "key", "create", "-address", "0x12")
	m.fails(exitUsage, "quota", "key", "create", "-quota", "-1")
	m.fails(exitUsage, "name", "key", "create", "-name", strings.Repeat("x", 101))
	m.must("key", "create", "-name", strings.Repeat("é", 100))
}

func TestAWalletHasOneLiveKeyAndKeepsItsUsedCalls(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	old := m.newKey("-address", strings.ToLower(example), "-name", "Lazarus")
	for range 4 {
		s.screen(example, old)
	}
	r := m.run("key", "create", "-address", example)
	m.want("what it says", r.err, "It replaces the key that "+example+" had.\n")
	key := strings.TrimSpace(r.out)
	m.soon("the old key is refused", func() bool { return s.call("/me", old, nil).body["authenticated"] == false })
	m.want("calls that the new key has left", s.screen(example, key).header.Get("X-RateLimit-Remaining-Day"), "5")
	table := m.must("key", "list")
	for _, row := range []string{old[:12] + `.* server's +5 `, key[:12] + `.* server's +5 .* -\n`} {
		if !regexp.MustCompile(row).MatchString(table) {
			t.Errorf("no /%s/ in %s", row, table)
		}
	}
	agent := s.call("/me", key, nil).body["agent"].(map[string]any)
	m.want("wallet and name", fmt.Sprint(agent["address"], agent["name"]), example+"Lazarus")
}

func TestAKeyFollowsTheQuotaOfTheServerUnlessItHasItsOwn(t *testing.T) {
	m := newMachine(t)
	follower, own, none := m.newKey(), m.newKey("-quota", "2"), m.newKey("-quota", "0")
	for _, quota := range []string{"1", "12"} {
		s := m.serve("-quota", quota)
		for key, limit := range map[string]string{follower: quota, own: "2", none: "0"} {
			m.want("limit", s.call("/me", key, nil).body["freeCalls"].(map[string]any)["limit"], limit)
		}
	}
	table := m.must("key", "list")
	for _, row := range []string{follower[:12] + ` .* server's `, own[:12] + ` .* 2 `, none[:12] + ` .* 0 `} {
		if !regexp.MustCompile(row).MatchString(table) {
			t.Errorf("no /%s/ in %s", row, table)
		}
	}
}

func TestKeyRevokeIsSureWhichKeyIsMeant(t *testing.T) {
	m := newMachine(t)
	first, second := m.newKey(), m.newKey()
	m.sqlite("tocsin.db", "UPDATE key SET prefix = 'toc_aaaa' || substr(prefix, 9)") // chance makes such twins too seldom
	m.fails(exitFailure, `2 keys begin with.*toc_aaaa\w{4}, toc_aaaa\w{4}`, "key", "revoke", "toc_aaaa")
	m.must("key", "revoke", second)
	m.sqlite("tocsin.db", "UPDATE key SET revoked = 4102444800000000 WHERE revoked IS NOT NULL")
	m.fails(exitFailure, "no live key", "key", "revoke", second)
	m.fails(exitFailure, "no live key", "key", "revoke", "toc_zzzzzzzz")
	m.fails(exitFailure, "at least", "key", "revoke", "toc_")
	m.fails(exitUsage, "name one key", "key", "revoke", "") // an empty variable of a script means no key, not the only one
	m.fails(exitUsage, "name one key", "key", "revoke")
	m.fails(exitUsage, "name one key", "key", "revoke", first, second)
	lines := strings.Split(m.must("key", "list"), "\n")
	if !strings.HasSuffix(lines[1], "Z  -") || !strings.HasSuffix(lines[2], "Z  2100-01-01T00:00Z") {
		t.Errorf("the list is %q", lines)
	}
	m.want("revoked", m.must("key", "revoke", "toc_aaaa"), "revoked toc_aaaa"+first[8:12]+"…\n")
}

func TestTheOperatorModeratesReportsOfAnyStatus(t *testing.T) {
	m := newMachine(t)
	m.write("own.ndjson", line("a", "First\ttold", address(1)), line("b", "Second & last", address(2)))
	m.must("import", "ndjson", "-as", "partner", "-from", "own.ndjson")
	ids := regexp.MustCompile(`rep_[a-z2-7]+`).FindAllString(m.must("report", "list"), -1)
	m.want("reports", len(ids), 2)
	m.want("hide two", m.must("report", "hide", ids[0], ids[1]), fmt.Sprintf(
		"hidden %s, with the entry of partner for %s\nhidden %s, with the entry of partner for %s\n",
		ids[0], "0x000000000000000000000000000000000BaD0002", ids[1], "0x000000000000000000000000000000000bAD0001"))
	m.must("report", "hide", ids[0]) // once more does no harm
	m.must("report", "restore", ids[1])
	table := m.must("report", "list", "-source", "partner")
	rows := ids[0] + ` .* hidden +partner +phishing +0x0000…0002 +Second & last\n` +
		ids[1] + ` .* published +partner .* First told\n$`
	if !regexp.MustCompile(rows).MatchString(table) {
		t.Errorf("the list is %s", table)
	}
	newest := m.must("report", "list", "-json", "-limit", "1")
	m.want("one line of JSON, as it was written",
		[]any{strings.Count(newest, "\n"), strings.Contains(newest, "Second & last")}, []any{1, true})
	r := m.run("report", "list", "-limit", "1")
	m.want("what a list leaves out", []any{strings.Count(r.out, "\n"), r.err}, []any{2, "1 more; -limit shows them.\n"})
	m.want("and nothing else", m.run("report", "list", "-limit", "2").err, "")
	m.want("other sources", strings.Count(m.must("report", "list", "-source", "community"), "\n"), 1)
	for _, verb := range []string{"show", "hide", "restore"} {
		m.fails(exitFailure, "no report.*rep_unknown", "report", verb, "rep_unknown")
		m.fails(exitUsage, "name .* report", "report", verb)
	}
	m.fails(exitUsage, "one report", "report", "show", ids[0], ids[1])
	m.fails(exitUsage, "limit", "report", "list", "-limit", "0")
	m.fails(exitUsage, "limit", "agent", "list", "-limit", "0")
	m.newKey("-name", "Older")
	m.newKey("-name", "Newer", "-address", example)
	agents := m.must("agent", "list", "-limit", "1", "-json")
	for _, field := range []string{`"id":"agt_`, `"name":"Newer"`, `"address":"` + example, `"keys":1`, `"reports":0`} {
		if !strings.Contains(agents, field) || strings.Count(agents, "\n") != 1 {
			t.Errorf("%s is not in %s", field, agents)
		}
	}
	form := regexp.MustCompile(`^AGENT .*\nagt_\w+ +Newer +0x\w{40} +\d{4}-\d\d-\d\d +1 +0 of 0 +-\n` +
		`agt_\w+ +Older +- +\d{4}-\d\d-\d\d +1 +0 of 0 +-\n$`)
	if table := m.must("agent", "list"); !form.MatchString(table) {
		t.Errorf("the agents are %s", table)
	}
	m.must("agent", "ban", example)
	m.sqlite("tocsin.db", "UPDATE agent SET created = 0")
	form = regexp.MustCompile(`^AGENT .*\nagt_\w+ +Newer +0x\w{40} +1970-01-01 +1 +0 of 0 +20\d\d-\d\d-\d\d\n$`)
	if table := m.must("agent", "list", "-banned"); !form.MatchString(table) {
		t.Errorf("the banned agents are %s", table)
	}
}

// TestHidingAReportNamesTheEntriesThatGoWithIt, of whom one can be somebody else.
func TestHidingAReportNamesTheEntriesThatGoWithIt(t *testing.T) {
	m := newMachine(t)
	m.write("own.ndjson", line("a", "Of two", "one-tocsin.com", "two-tocsin.com"))
	m.must("import", "ndjson", "-as", "partner", "-from", "own.ndjson")
	id := m.first("report", "list")
	m.want("hide", m.must("report", "hide", id), "hidden "+id+", with the entries of partner for one-tocsin.com and "+
		"two-tocsin.com\nTo clear only one: tocsin report restore "+id+", and tocsin safelist add SUBJECT\n")
	m.want("restore", m.must("report", "restore", id), "restored "+id+"\n")
}
