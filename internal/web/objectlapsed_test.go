package web

import (
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestWhatWasNamedIsNotCalledUnreported: once a list has dropped it, or its report was hidden or withdrawn, the answer,
// the page for the owner and the case file say that nothing warns of it now.
func TestWhatWasNamedIsNotCalledUnreported(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "dropped.example", "other.example")
	s.Sleep(time.Hour)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "other.example")
	hidden := s.file(draft{"reportedDomains": []string{"hidden.example", "metamask-login.io"}})
	tocsintest.Must(t, s.db.Hide(t.Context(), store.Operator{}, hidden.ID))
	withdrawn := s.file(draft{"scammerAddresses": []string{nobody}})
	tocsintest.Must(t, s.db.Withdraw(t.Context(), withdrawn.ID, withdrawn.ManageToken))
	v := s.visitor()
	for _, subject := range []string{"dropped.example", "hidden.example", "metamask-login.io", nobody} {
		for _, at := range []string{"/screen/" + subject, "/object?subject=" + subject, "/object/case?subject=" + subject} {
			p := v.get(at)
			lacks(t, p, "Nobody has reported")
			if at != "/object?subject="+subject || subject == "metamask-login.io" {
				p.says("Nothing on record warns of it now.")
			}
		}
	}
	v.get("/screen/metamask-login.io").says("Pay nothing, connect nothing: its name resembles metamask.io. " +
		"Nothing on record warns of it now.")
	v.get("/screen/never.example").says("Nobody has reported this site.")
}

// TestTheLetterSaysWhatIsMine: an address, or a site.
func TestTheLetterSaysWhatIsMine(t *testing.T) {
	s := start(t)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", nobody)
	v := s.visitor()
	v.get("/object?subject=" + nobody).says("This address is mine, and is named by mistake:")
	v.get("/object?subject=metamask-login.io").says("This site is mine:")
	lacks(t, v.get("/object?subject="+nobody), "address or site is mine")
}

// TestAnOwnerLearnsWhatAReportOfTheirOwnDoes, and who erases a report with their name in it.
func TestAnOwnerLearnsWhatAReportOfTheirOwnDoes(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example")
	s.file(draft{"reportedDomains": []string{"reported.example"}})
	const own, erase = "Lower a score by a report of your own.", "Erase a report for good that has your name"
	v := s.visitor()
	for _, at := range []string{"/object", "/object?subject=reported.example"} {
		v.get(at).says(own, erase, "If nobody keeps the list any more, only the operator can hide the report.")
	}
	p := v.get("/object?subject=listed.example")
	p.says(own)
	lacks(t, p, erase)
}

// TestASanctionExplainsItsSum: in the case file the points of the other items are more than what each adds by itself.
func TestASanctionExplainsItsSum(t *testing.T) {
	const says = "A sanction makes any score 100."
	s := start(t)
	tocsintest.Sanction(t, s.db, "A PARTY", "CYBER2", 1)
	parties, _, err := s.db.PartiesNamed(t.Context(), []tocsin.Term{{Text: "party"}}, 1)
	tocsintest.Must(t, err)
	account := parties[0].Accounts[0].Value
	v := s.visitor()
	lacks(t, v.get("/object/case?subject="+account), says)
	for _, list := range []string{"etherscan-labels", "eth-labels"} {
		s.list(list, "etherscan", tocsin.Risk, "hack", account)
	}
	p := v.get("/object/case?subject=" + account)
	p.says(says, "68 points in the sum, together with Etherscan label list without it the sanction alone makes the score "+
		"100",
		"This lifts the score from 68 to 100. +32 Score 100")
	lacks(t, p, "0 points together")
	lacks(t, p, "nothing, also")
}

// TestASanctionedAddressInTheWrongLettersIsCounted under the lines without a subject, which it is one of.
func TestASanctionedAddressInTheWrongLettersIsCounted(t *testing.T) {
	s := start(t)
	s.starter()
	wrong := "0x098b716b8Aaf21512996dC57EB0615e2383E2f96"
	p := s.visitor().post("/bulk", fields{bulkField: thief + "\n" + wrong + "\nshop.example", "do": "screen"})
	p.says("of these, sanctioned 1 They mean sanctioned accounts, with wrong capital and small letters: check them " +
		"first. They are not counted above.")
	p = s.visitor().post("/bulk", fields{bulkField: thief + "\nDE89370400440532013000", "do": "screen"})
	p.says("such numbers are not screened here")
	lacks(t, p, "Call your bank")
}
