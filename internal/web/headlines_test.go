package web

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/paste"
	"tocsin/internal/tocsintest"
)

// TestTheWorstIsSaidFirst of a text with several parts, and what it means below, as testdata/headlines.txt has them.
func TestTheWorstIsSaidFirst(t *testing.T) {
	subject := func(text string) tocsin.Subject {
		is, fault := tocsin.ParseSubject(text)
		if fault != nil {
			t.Fatal(text, fault)
		}
		return is
	}
	card := func(role paste.Role, result tocsin.Result, level tocsin.Level) severalCard {
		of := subject("to.example")
		return severalCard{Subject: of, part: paste.Part{Role: role, Subject: of}, Answer: &answer.Answer{Lang: english(),
			Subject: of, Screening: tocsin.Screening{Result: result, RiskLevel: level}}}
	}
	clean := func(role paste.Role) severalCard { return card(role, tocsin.NoReports, tocsin.Clean) }
	doubt := func(role paste.Role) severalCard { return card(role, tocsin.Caution, tocsin.Low) }
	wait := func(role paste.Role) severalCard { return card(role, tocsin.Caution, tocsin.Medium) }
	alarm := func(role paste.Role) severalCard { return card(role, tocsin.Caution, tocsin.High) }
	grave := func(role paste.Role) severalCard { return card(role, tocsin.Caution, tocsin.Critical) }
	unread := severalCard{Subject: subject("to.example"), part: paste.Part{Role: paste.Recipient}}
	behind := paste.Part{Role: paste.Behind, Subject: subject("evil.example"), Shown: "bank.example"}
	number := paste.Part{Role: paste.Behind, Text: strings.Repeat("x", 90), Shown: "bank.example"}
	payee := paste.Part{Role: paste.Recipient, Subject: subject(nobody), Asked: paste.Asked{Amount: "0.5", Coin: "ETH"}}
	spender := paste.Part{Role: paste.Spender, Subject: subject(nobody)}
	endless := spender
	endless.Asked.Unlimited = true
	alike := &alikePair{}
	handles := func(found ...int) (all []handleCard) {
		for _, n := range found {
			all = append(all, handleCard{Found: n})
		}
		return all
	}
	var said strings.Builder
	for _, c := range []struct {
		about string
		page  severalPage
		parts []paste.Part
	}{
		{"nothing", severalPage{}, nil},
		{"nothing on record", severalPage{Cards: []severalCard{clean(""), clean("")}}, nil},
		{"a doubt", severalPage{Cards: []severalCard{clean(""), doubt("")}}, nil},
		{"doubts", severalPage{Cards: []severalCard{doubt(""), doubt("")}}, nil},
		{"of who gets it", severalPage{Cards: []severalCard{doubt(""), doubt(paste.Recipient)}}, nil},
		{"of another", severalPage{Cards: []severalCard{doubt(""), clean(paste.Recipient)}}, nil},
		{"an alarm", severalPage{Cards: []severalCard{alarm(""), clean("")}}, nil},
		{"alarms and a doubt", severalPage{Cards: []severalCard{grave(""), alarm(""), doubt("")}}, nil},
		{"alarms and what is Medium", severalPage{Cards: []severalCard{grave(""), wait(""), doubt("")}}, nil},
		{"an alarm beside who gets it", severalPage{Cards: []severalCard{alarm(""), wait(paste.Recipient)}}, nil},
		{"who gets it, and what is Medium", severalPage{Cards: []severalCard{alarm(paste.Recipient), wait("")}},
			[]paste.Part{payee}},
		{"who gets it", severalPage{Cards: []severalCard{alarm(""), alarm(paste.Recipient)}}, []paste.Part{payee}},
		{"who takes it", severalPage{Cards: []severalCard{alarm(""), alarm(paste.Spender)}}, []paste.Part{spender}},
		{"both", severalPage{Cards: []severalCard{alarm(paste.Spender), alarm(paste.Recipient)}}, nil},
		{"one without an answer", severalPage{Cards: []severalCard{unread, doubt("")}}, nil},
		{"a deceptive link", severalPage{Cards: []severalCard{clean(paste.Behind)}}, []paste.Part{{}, behind}},
		{"one to a number", severalPage{}, []paste.Part{number}},
		{"one with an alarm", severalPage{Cards: []severalCard{alarm(paste.Behind)}}, []paste.Part{behind}},
		{"alike", severalPage{Alike: alike}, nil},
		{"alike, with a doubt", severalPage{Alike: alike, Cards: []severalCard{doubt("")}}, nil},
		{"a spender", severalPage{Cards: []severalCard{clean(paste.Spender)}}, []paste.Part{spender}},
		{"without limit", severalPage{Cards: []severalCard{clean(paste.Spender)}}, []paste.Part{endless}},
		{"a payment", severalPage{Pays: true, Cards: []severalCard{clean(paste.Recipient)}}, []paste.Part{payee}},
		{"to nobody", severalPage{Pays: true, Payless: true}, []paste.Part{payee}},
		{"of no sum", severalPage{Pays: true, Payless: true}, []paste.Part{{Role: paste.Recipient}}},
		{"no payment", severalPage{Payless: true}, []paste.Part{payee}},
		{"handles", severalPage{Cards: []severalCard{clean("")}, Handles: handles(-1, 0, 1, 2)}, nil},
		{"handles of which none is known", severalPage{Cards: []severalCard{clean("")}, Handles: handles(-1, 0)}, nil},
		{"handles alone", severalPage{Handles: handles(1, 2)}, nil},
		{"a link that leads on", severalPage{Cards: []severalCard{clean(""), clean(paste.Onward)}}, nil},
		{"one that leads on with a doubt", severalPage{Cards: []severalCard{doubt(""), clean(paste.Onward)}}, nil},
	} {
		headlines := c.page.headlines(english(), c.parts)
		fmt.Fprintf(&said, "=== %s\n%s\n", c.about, strings.Join(append(headlines, "Title: "+
			c.page.title(english(), headlines), "Lead: "+c.page.lead(english(), c.parts, headlines)), "\n"))
	}
	tocsintest.Golden(t, "testdata/headlines.txt", said.String())
}
