package web

import (
	"net/url"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

// TestTheSiteIsTheEndOfAName: a known site's whole domain before it is a reason to warn, and the site is in bold.
func TestTheSiteIsTheEndOfAName(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.get("/screen/app.uniswap.org.claim-x.xyz")
	p.says("This site is claim-x.xyz. It does not belong to uniswap.org.",
		"Anyone can put any name in front of their own, such as app.uniswap.org here.", "score 25 of 100",
		"If you want uniswap.org, go there by a bookmark of your own, or type its name.",
		"Pay nothing, connect nothing", "Read the name letter by letter, from its end.",
		"The end of a name says whose site it is: this one is claim-x.xyz.")
	holds(t, p, "<b>claim-x", "<mark>claim-x[.]xyz</mark>")
	v.get("/screen/coinbase.com-login.net").says("This site is com-login.net. It does not belong to coinbase.com.")
	for _, honest := range []string{"uniswap-org.translate.goog", "app.uniswap.org.ipns.dweb.link", "app.uniswap.org"} {
		lacks(t, v.get("/screen/"+honest), "It does not belong to", "score 25")
	}
}

// TestWhoseTheNameMayBeIsSaidFirst, with what not to do, and that anybody gets it where that is so.
func TestWhoseTheNameMayBeIsSaidFirst(t *testing.T) {
	v := start(t).visitor()
	const known = "Do not connect yet: the site we know by this name is uniswap.org."
	v.get("/screen/uniswap-v5.app").says(known+" Nobody has reported it yet. We do not know whether it "+
		"belongs to uniswap.org.", "Go to uniswap.org yourself",
		"If this site belongs to it too, you will find a link to it there.")
	v.get("/screen/commerzbank.info").says("Do not log in or pay yet: the site we know by this name is commerzbank.de.")
	v.get("/screen/kraken-login.com").says("Do not connect yet: the site we know by this name is kraken.com.")
	const authority = "Do not log in or pay yet: the authority’s site that we know is "
	v.get("/screen/impots-gouv.info").says(authority + "impots.gouv.fr.")
	v.get("/screen/finanzamt.de").says(authority + "elster.de.")
	bank := v.get("/screen/berliner-volksbank.de")
	bank.says("We do not know this site. Many banks are called Volksbank.", "Compare the name with the one on your card "+
		"or a letter of your bank before you log in.", "Compare the name before you log in")
	lacks(t, bank, "vr.de")
	v.get("/screen/sparkasse-bremen.de").says("Many banks are called Sparkasse.")
	v.get("/object?subject=sparkasse-bremen.de").says("because its name contains “Sparkasse”")
	v.get("/screen/uniswap.vercel.app").says(known, "Anyone can put a page on vercel.app within minutes.")
	p := v.get("/screen/my-nice-shop-7.vercel.app")
	p.says("Anyone can put a page on vercel.app within minutes.")
	lacks(t, p, "the site we know")
	lacks(t, v.get("/screen/shop.example"), "within minutes")
}

// TestAPageOnASharedHostIsJudgedByItsPath: what it imitates is in the title, and what is known of the host is no more
// than a link.
func TestAPageOnASharedHostIsJudgedByItsPath(t *testing.T) {
	v := start(t).visitor()
	p := v.get(asking("https://sites.google.com/view/metamask-login-wallet"))
	want(t, "title", p.h1(), "Type nothing in: this is not metamask.io. Anyone can have a page on sites.google.com.")
	lacks(t, p, `class="btn" href="/screen/sites`)
	holds(t, p, `<a href="/screen/sites.google.com"`)
	for _, q := range []string{"https://sites.google.com/view/lena-bakes", "https://sites.google.com/view/my-metamask"} {
		want(t, q, v.get(asking(q)).h1(), "Anyone can have a page on sites.google.com")
	}
}

// TestTheNameOfAKnownSiteHasNoBrackets: it is to be compared with an address bar.
func TestTheNameOfAKnownSiteHasNoBrackets(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	holds(t, v.get("/screen/uniswap.org"), `<code class="dom">uniswap.org</code>`)
	holds(t, v.get("/screen/fine.example"), `<code class="dom">fine[.]example</code>`)
	several := v.get(asking("uniswap.org fine.example"))
	holds(t, several, `<code class="dom">uniswap.org</code>`, `<code class="dom">fine[.]example</code>`)
	v.get("/screen/" + exchange).says("This is an account of Binance, an exchange. Nobody warns of it.")
}

// TestWhatToDoComesBeforeWhoOffersHelp: a refund of taxes is not what those offer who bring lost money back.
func TestWhatToDoComesBeforeWhoOffersHelp(t *testing.T) {
	p := start(t).visitor().get("/screen/elster-rueckerstattung.com")
	offers := strings.Index(p.html, "Someone offers to get your money back?")
	want(t, "after what to do", offers > strings.Index(p.html, "What to do"), true)
}

// TestASuspicionBeginsWithWhatNotToDo, before who has not reported it.
func TestASuspicionBeginsWithWhatNotToDo(t *testing.T) {
	v := start(t).visitor()
	v.get("/screen/metamask-login.io").says("Pay nothing, connect nothing: its name resembles metamask.io. " +
		"Nobody has reported it yet. This is a suspicion by the name alone.")
	v.get("/screen/metamask.io.evil-x.com").says("This site is evil-x.com. It does not belong to metamask.io. " +
		"Pay nothing, connect nothing. Anyone can put any name in front of their own, such as metamask.io here. " +
		"Nobody has reported it yet.")
	v.get("/object?subject=metamask-login.io").says("Its name resembles metamask.io.",
		"Visitors who look it up read: “Pay nothing, connect nothing: its name resembles metamask.io.”")
}

// TestALinkThatHidesWhereItLeadsSaysSo: short ones, and those into a wallet.
func TestALinkThatHidesWhereItLeadsSaysSo(t *testing.T) {
	v := start(t).visitor()
	for _, host := range []string{"bit.ly", "tinyurl.com", "t.co"} {
		v.get("/screen?q="+host+"/3xYz").says("This is a shortened link. It can lead to any site.",
			"Find out where it leads before you open it, and paste that here. Ask the sender for the full address.")
		v.get("/screen/"+host).says("Links on "+host+" are shortened.", "its links lead to any site")
	}
	const preview = "Or add + to the end of the link: bit.ly then shows where it leads."
	v.get("/screen?q=bit.ly/3xYz").says(preview)
	v.get("/screen?q=bit.ly/3xYz+one.example").says(preview)
	lacks(t, v.get("/screen?q=t.co/3xYz"), "to the end of the link")
	for _, host := range []string{"metamask.app.link", "link.trustwallet.com", "go.cb-w.com"} {
		p := v.get("/screen/" + host)
		p.says("Links on "+host+" open a wallet, which then shows any site.", "Paste the whole link")
		lacks(t, p, "Most scam sites are days old")
	}
}

// TestAMistypedAccountIsNotToBePaid: that comes first, and which known account it nearly is.
func TestAMistypedAccountIsNotToBePaid(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	p := v.get("/screen/TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6s")
	p.says("Do not send. Copy it again from where you have it. This looks like an address of Tron, but its checksum",
		"One character differs from the address of Tether USD on Tron.")
	holds(t, p, "gjLj6<mark>s</mark>", "gjLj6<mark>t</mark>")
	unknown := v.get("/screen/1BoatSLRHtKNngkdXEeobR76b53LETtpyU")
	unknown.says("Do not send. Copy it again from where you have it. This looks like an address of Bitcoin")
	lacks(t, unknown, "One character differs")
	for typed, title := range map[string]string{
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr": wrongCharacter,
		"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi":         wrongCharacter,
		"0xA0b86991c6218b36c1d19d4a2e9Eb0cE3606eB48": wrongCharacter,
		"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB4O": wrongCharacter,
		"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB4":  wrongAddress,
	} {
		holds(t, v.get("/screen/"+typed), "<h1>"+title+"</h1>")
	}
	v.get("/screen/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe").says("Do not send.", "This has 39 digits after 0x")
}

// TestMoreThanThereIsOfATokenIsAllOfIt, and the digits of an amount are in groups.
func TestMoreThanThereIsOfATokenIsAllOfIt(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	ask := asking("ethereum:" + usdc + "/approve?address=" + payee + "&uint256=")
	p := v.get(ask + "1e30")
	p.says("without limit. A payment does not need this: refuse.")
	lacks(t, p, "It asks to take up to")
	v.get(ask+"5e15").says("This asks for access to your tokens. A payment does not need this: refuse.",
		"It asks to take up to 5,000,000,000 USDC.")
}

// TestTheCardOfAKnownSubjectLooksLikeItsPage, not like the card of one of which nothing is known.
func TestTheCardOfAKnownSubjectLooksLikeItsPage(t *testing.T) {
	s := start(t)
	s.starter()
	for path, look := range map[string]string{"/screen/" + usdc: "heed", "/screen/binance.com": "known",
		"/screen/unknown.example": "clean"} {
		card, err := url.Parse(s.visitor().get(path).meta("og:image"))
		tocsintest.Must(t, err)
		want(t, path, card.Query().Get("look"), look)
	}
}
