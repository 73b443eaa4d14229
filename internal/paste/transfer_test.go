package paste

import "testing"

// TestAPaymentRequestInATokenNamesWhoGetsTheMoney, if it says so in one way, and [Cell] leaves it to those who know the
// token.
func TestAPaymentRequestInATokenNamesWhoGetsTheMoney(t *testing.T) {
	const to = "?address=" + account + "&uint256=1"
	for text, chain := range map[string]string{
		"ethereum:" + another + "/transfer" + to:                           "eip155:1",
		" ethereum:pay-" + another + "@8453/transfer" + to:                 "eip155:8453",
		"https://metamask.app.link/send/" + another + "@1/transfer" + to:   "eip155:1",
		"metamask.app.link/send/" + another + "@1/transfer" + to:           "eip155:1",
		"https://evil.example/send/" + another + "@1/transfer" + to:        "",
		"ethereum:" + another + "@1/approve" + to:                          "",
		"ethereum:" + another + "@1/transfer" + to + "&address=" + another: "",
		"ethereum:" + another + "@1/transfer?uint256=1":                    "",
		"ethereum:" + another + "?value=1":                                 "",
	} {
		read, ok := ReadTransfer(text)
		want(t, text, read.Chain, chain)
		if !ok {
			continue
		}
		want(t, text, read.Payee.String()+" "+read.Token.String(), account+" "+another)
		if subject, fault := Cell(text); fault == nil {
			t.Errorf("%s is %s", text, subject)
		}
	}
}

// TestTheMistakeInARequestToCallAContractIsThatOfWhoGetsTheMoney, never one in the address of the contract.
func TestTheMistakeInARequestToCallAContractIsThatOfWhoGetsTheMoney(t *testing.T) {
	const wrong = "0x098b716B8Aaf21512996dC57EB0615e2383E2f96"
	for text, mistake := range map[string]string{
		"ethereum:" + another + "@1/transfer?address=" + wrong: wrong,
		"ethereum:" + wrong + "@1/transfer?address=" + account: "",
		"ethereum:" + wrong + "@1/approve?address=" + account:  "",
		"ethereum:" + wrong + "@1/mint?uint256=1":              "",
	} {
		want(t, text, Mistyped(text), mistake)
	}
}
