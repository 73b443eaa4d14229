package lookalike

import "strings"

// lureWords stand beside the names of brands in fraud, and seldom in what the brands' owners register.
var lureWords = wordSet(`access account accounts activate activation airdrop airdrops alert allocation anmelden
	anmeldung app apps auth authenticate authentication authorize bestaetigung bonus bridge bridges center check
	checker claim claiming claims client confirm connect connection connects dapp dapps delivery desk desktop
	distribution download drop eligibility eligible erstattung event events exchange extension farm fix free gebuehr
	gebuehren gift giveaway help helpcenter helpdesk hub invest konto kyc launch launchpad learn live lock login
	logins manage migrate migration mint minting official online page paket parcel pay platform portal presale pro
	promo protect rebate rechnung recover recovery redeem refund refunds register registration resolve restake
	restore resync reward rewards rueckerstattung rueckzahlung safe sale secure secured security sendung server
	service services session setup sicherheit sign signin signup snapshot stake staking start steuer steuern suite
	support swap sync synchronize system team token tokens tracking trade trading transfer unlock unstake update
	updates upgrade user v2 v3 v4 validate validation validator verification verified verifizierung verify vip vote
	wallet wallets web web3 website whitelist win withdraw zahlung zahlungen zustellung`)

// luresBeside counts the words beside a hit that lure.
func (n *name) luresBeside(h hit) (count int) {
	n.eachLureBeside(h, func(string, bool) { count++ })
	return count
}

// eachLureBeside calls visit with each of these words, and whether it is in a label before the registrable one.
func (n *name) eachLureBeside(h hit, visit func(word string, sub bool)) {
	found, sub := false, false
	look := func(t string) {
		if h.how == cut && strings.Contains(h.part, t) {
			return // of the brand itself
		}
		if !found && len(t) >= len(h.part) {
			if at := strings.Index(t, h.part); at >= 0 { // what is glued to the brand
				found = true
				for _, rest := range [2]string{t[:at], t[at+len(h.part):]} {
					if rest = strings.Trim(rest, "0123456789"); lureWords[rest] {
						visit(rest, sub)
					}
				}
				return
			}
		}
		if lureWords[t] {
			visit(t, sub)
		} else if bare := strings.Trim(t, "0123456789"); lureWords[bare] {
			visit(bare, sub)
		}
	}
	tokens(n.foldedLabel, look)
	sub = true
	tokens(n.foldedSub, look)
}

// standsAlone reports whether nothing is glued to a part of a text but digits and words that lure: revolut does not in
// revolution.
func standsAlone(text, part string) bool {
	before, after, _ := strings.Cut(text, part)
	before = before[strings.LastIndexAny(before, separators)+1:]
	if end := strings.IndexAny(after, separators); end >= 0 {
		after = after[:end]
	}
	for _, rest := range [2]string{before, after} {
		if rest = strings.Trim(rest, "0123456789"); rest != "" && !lureWords[rest] {
			return false
		}
	}
	return true
}

// lures returns the words in the name that lure, as the model counts them.
func (n *name) lures() (words []string) {
	tokens(clip(n.foldedLabel), func(t string) {
		if bare := strings.Trim(t, "0123456789"); lureWords[bare] {
			words = append(words, bare)
		}
	})
	tokens(clip(n.foldedSub), func(t string) {
		if lureWords[t] {
			words = append(words, t)
		}
	})
	return words
}
