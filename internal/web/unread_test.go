package web

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// changing matches what differs between two answers with the same page: tickets, nonces, free calls, and the space on
// the disk, which other programs use.
var changing = regexp.MustCompile(
	`(?s)<footer.*</footer>|name="once"[^>]*>|[0-9]+ of [0-9]+|Nonce: \w+|[0-9,]+ [GM]B of disk space`)

// TestWhatCannotBeReadIsNotLeftOut: without a table of the database each page is as before, or says that it fails. It
// never shows the rest as if that were all.
func TestWhatCannotBeReadIsNotLeftOut(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("list-a", "a", tocsin.Risk, "phishing", "growing-gold.example", thief)
	reader, account := s.visitor(), tocsintest.NewAccount(t)
	key := reader.signIn(account).key()
	report := s.file(everything(), "x-api-key: "+key)
	s.file(everything())
	for n := range 25 {
		s.file(draft{"crimeType": "scam", "title": fmt.Sprintf("Another %d", n), "description": story1,
			"reportedDomains": []string{fmt.Sprintf("site-%d.example", n)}})
	}
	db, err := sql.Open("sqlite", s.at)
	tocsintest.Must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("PRAGMA legacy_alter_table = ON") // so that other tables still name this one
	tocsintest.Must(t, err)
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table' " +
		"AND name NOT LIKE 'report_words_%' AND name NOT LIKE 'sqlite_%'")
	tocsintest.Must(t, err)
	var tables []string
	for rows.Next() {
		var name string
		tocsintest.Must(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	tocsintest.Must(t, rows.Close())
	form := fields{"crimeType": "scam", "title": "T", "description": "D", "reportedDomains": "new.example"}
	visits := map[string]func(v *visitor) *response{
		"POST /report": func(v *visitor) *response { return v.post("/report", form) },
		"POST /account/message": func(v *visitor) *response {
			return v.post("/account/message", fields{"address": account.Address.String()})
		},
		"withdraw": func(v *visitor) *response {
			return v.post("/reports/"+report.ID+"/withdraw", fields{"token": "man_wrong"})
		},
		"replace": func(v *visitor) *response { return v.post("/account", fields{"do": "replace"}) },
		"by hand": func(v *visitor) *response { return v.post("/account", fields{"address": account.Address.String()}) },
	}
	for _, path := range []string{
		"/", "/reports", "/reports?q=approval", "/reports?crimeType=scam", "/reports/" + report.ID,
		"/screen/" + thief, "/screen/growing-gold.example", "/screen/" + nobody, "/leaderboard", "/account", "/report",
		"/status",
	} {
		visits[path] = func(v *visitor) *response { return v.get(path) }
	}
	visitors := map[string]*visitor{"signed in": reader, "unknown": s.visitor()}
	whole := map[string]string{}
	look := func(do func(name string, p *response)) {
		for who, v := range visitors {
			for name, visit := range visits {
				do(who+" "+name, visit(v))
			}
		}
	}
	for range 2 { // the first time a report is filed
		look(func(name string, p *response) { whole[name] = changing.ReplaceAllString(p.html, "") })
	}
	for _, table := range tables {
		_, err := db.Exec("ALTER TABLE " + table + " RENAME TO gone")
		tocsintest.Must(t, err)
		look(func(name string, p *response) {
			before, now := strings.Split(whole[name], "\n"), strings.Split(changing.ReplaceAllString(p.html, ""), "\n")
			if p.status < 500 && !slices.Equal(before, now) {
				at := slices.IndexFunc(now, func(line string) bool { return !slices.Contains(before, line) })
				t.Errorf("without the table %s, %s is another page: %d %q, line %d of %q", table, name, p.status, p.h1(), at, now)
			}
		})
		_, err = db.Exec("ALTER TABLE gone RENAME TO " + table)
		tocsintest.Must(t, err)
	}
	if strings.Contains(s.log.String(), "msg=panic") {
		t.Error("a handler went on without what it could not read")
	}
}
