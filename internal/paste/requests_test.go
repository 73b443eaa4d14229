package paste

import (
	"fmt"
	"strings"
	"testing"
)

// TestAPaymentRequestAsksForWhatItSays, with all that is read of it.
func TestAPaymentRequestAsksForWhatItSays(t *testing.T) {
	const ton = "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"
	eth := func(function, query string) string {
		return "ethereum:" + another + function + "?address=" + account + query
	}
	evm := func(a Asked) Asked { a.Chain = "eip155:1"; return a }
	to := func(a Asked) Part { return Part{Role: Recipient, Asked: a} }
	by := func(a Asked) Part { return Part{Role: Spender, Asked: evm(a)} }
	const trust = "https://link.trustwallet.com/send?asset="
	const older = "https://link.trustwallet.com/send?coin=60&address=" + account
	for text, wanted := range map[string][]Part{
		"ethereum:" + account + "?value=15e17":    {to(evm(Asked{Amount: "1.5", Coin: "ETH"}))},
		"ETHEREUM:" + account + "?value=1.5":      {to(evm(Asked{Coin: "ETH"}))},
		"ethereum:" + account + "@999?value=1e18": {to(Asked{Amount: "1", Chain: "eip155:999"})},
		eth("/transfer", "&uint256=5"):            {to(evm(Asked{Units: "5"})), {Role: Token}},
		eth("/approve", "&uint256=5"):             {by(Asked{Units: "5"}), {Role: Token}},
		eth("/increaseAllowance", "&uint256=2e40"): {by(Asked{Units: "2" + strings.Repeat("0", 40),
			Unlimited: true}), {Role: Token}},
		eth("/setApprovalForAll", "&bool=true"):           {by(Asked{Unlimited: true}), {Role: Token}},
		eth("/mint", "&uint256=5"):                        {{}, {}},
		trust + "c60&address=" + account + "&amount=1,5":  {to(Asked{Coin: "ETH"})},
		trust + "c999&address=" + account + "&amount=1.5": {to(Asked{Amount: "1.5"})},
		trust + "c60": {{}},
		"https://link.trustwallet.com/sent?asset=c60&address=" + account:         {{}, {Role: InLink}},
		"https://evil.example/send?asset=c60&address=" + account + "&amount=1.5": {{}, {Role: InLink}},
		"https://evil.example/send/" + account + "?value=1e18":                   {{}, {Role: InLink}},
		"ton:" + ton + "?amount=1500000000":                                      {to(Asked{Amount: "1.5", Coin: "TON"})},
		"ton:" + ton + "?amount=15&jetton=" + ton:                                {to(Asked{Units: "15"})},
		"tron:" + tron + "?amount=1.5&token=" + tron:                             {to(Asked{Amount: "1.5"})},
		"tron:" + tron + "?token=" + tron:                                        {{Role: Recipient}},
		"tron:" + tron + "?amount=x":                                             {to(Asked{Coin: "TRX"})},
		"TRON:" + tron + "?AMOUNT=1.5":                                           {to(Asked{Amount: "1.5", Coin: "TRX"})},
		older + "&amount=1.5":                                                    {to(Asked{Amount: "1.5", Coin: "ETH"})},
		older + "&token_id=" + another:                                           {to(Asked{}), {Role: Token}},
		"tron:" + tron + "?memo=x":                                               {{}},
		"TRON:" + tron + "?amount=007.50":                                        {to(Asked{Amount: "007.50", Coin: "TRX"})},
	} {
		got := Parts(text)
		for i := range got {
			got[i] = Part{Role: got[i].Role, Asked: got[i].Asked}
		}
		want(t, text, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", wanted))
	}
}
