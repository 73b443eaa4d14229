package paste

import (
	"strings"
	"testing"

	"tocsin"
)

// TestMailOfAnybodySaysNothingOfItsSite, of each host that gives anybody an address; of others it does.
func TestMailOfAnybodySaysNothingOfItsSite(t *testing.T) {
	for host := range strings.FieldsSeq("gmail googlemail icloud aol proton protonmail gmx web mail yandex zoho tuta " +
		"tutanota tutamail fastmail hey pm duck mailbox posteo t-online freenet laposte orange wanadoo free libero " +
		"virgilio " +
		"terra uol bol ig rediffmail naver daum qq 163 126 sina foxmail me mac msn rambler inbox list bk ukr " +
		"outlook hotmail live yahoo ymail rocketmail") {
		for _, end := range []string{".com", ".DE"} {
			want(t, host+end, MailSites([]string{"email:lena@" + host + end}), []tocsin.Subject(nil))
		}
		site := "x" + host + ".example"
		want(t, site, MailSites([]string{"email:lena@" + site}), []string{site})
	}
	for _, mail := range []string{"a@yahoo.co.uk", "a@live.com.ar", "a@x.edu", "a@x.gov", "a@x.y.mil"} {
		want(t, mail, MailSites([]string{"email:" + mail}), []tocsin.Subject(nil))
	}
	want(t, "others", MailSites([]string{"email:a@evil.example", "email:b@evil.example", "name:@lena", "phone:+441",
		"telegram:a@b.example", "email:a@gmail.evil.example", "email:a@gmx.co.uk", "email:a@x.education"}),
		[]string{"evil.example", "gmail.evil.example", "gmx.co.uk", "x.education"})
}

// TestALinkOfAWalletLeadsOn, of each wallet, and by each word that says where another link leads.
func TestALinkOfAWalletLeadsOn(t *testing.T) {
	for host := range strings.FieldsSeq("metamask.app.link link.metamask.io phantom.app phantom.com go.cb-w.com " +
		"link.trustwallet.com rnbwapp.com link.zerion.io") {
		want(t, host, []bool{opensWallets(host), opensWallets("WWW." + host), opensWallets("x." + host)},
			[]bool{true, true, false})
	}
	for word := range strings.FieldsSeq("dapp browse browser open url redirect out go visit web link to ul/browse") {
		want(t, word, onwardHosts("good.example", "/"+word+"/evil.com/x"), []string{"evil.com"})
		want(t, word, onwardHosts("good.example", "/"+word+"x/evil.com"), []string(nil))
	}
	for end := range strings.FieldsSeq("md htm html php js css png jpg jpeg gif svg pdf txt json zip py sh rs pl") {
		want(t, end, onwardHosts("good.example", "/out/a."+end+"?f=a."+strings.ToUpper(end)), []string(nil))
	}
	for path, hosts := range map[string]string{
		"/?u=evil.com": "evil.com", "/?utm_source=evil.com&ref=evil.net&referrer=evil.org&source=evil.io": "",
		"/?myref=evil.com": "evil.com", "/?xutm_a=evil.net": "evil.net", "/?u=evil.com.": "evil.com",
		"/?u=https://a@evil.com/": "evil.com", "/?u=http:/evil.com": "evil.com", "/?u=https:\\\\evil.com": "evil.com",
		"/?u=//evil.com": "evil.com", "/?u=evil.nosuffix": "", "/?u=https://evil.nosuffix": "evil.nosuffix",
		"/?u=https%25253A//evil.com": "evil.com", "/?u=https%2525253A%2Fevil.com": "",
		"/?a=evil.com&b=www.good.example&c=evil.com&d=evil.net": "evil.com evil.net", "/%zz?u=evil.com": "evil.com",
		"/?a=a.com&b=b.com&c=c.com&d=d.com": "a.com b.com c.com",
	} {
		want(t, path, strings.Join(onwardHosts("good.example", path), " "), hosts)
	}
	want(t, "a name that nobody sells, of a wallet", onwardHosts("phantom.app", "/dapp/evil.nosuffix"),
		[]string{"evil.nosuffix"})
	want(t, "elsewhere", onwardHosts("good.example", "/dapp/evil.nosuffix"), []string(nil))
}

func TestTheNameBeforeAnAtIsShownIfItIsASite(t *testing.T) {
	for authority, name := range map[string]string{
		"uniswap.org@evil.example": "uniswap.org", "UniSwap.org:80@evil.example": "uniswap.org",
		"uniswap.org%40evil.example": "uniswap.org", "a@uniswap.org@evil.example": "", "lena@evil.example": "",
		"uniswap.nosuffix@evil.example": "", "www.evil.org@evil.org": "", "evil.org": "", "-.org@evil.example": "",
		"uniswap.org@203.0.113.9": "uniswap.org",
	} {
		want(t, authority, shown(authority), name)
	}
}

// TestEveryCoinOfALinkToSendIsKnown: of Trust Wallet, by the numbers of SLIP-44.
func TestEveryCoinOfALinkToSendIsKnown(t *testing.T) {
	coins := strings.Fields("c0 BTC c2 LTC c3 DOGE c60 ETH c144 XRP c195 TRX c501 SOL c607 TON c966 POL c1815 ADA " +
		"c9000 AVAX c10009000 AVAX c20000714 BNB")
	want(t, "coins", len(slip44), len(coins)/2)
	for i := 0; i < len(coins); i += 2 {
		parts := Parts("https://link.trustwallet.com/send?asset=" + coins[i] + "&address=" + account + "&amount=0.5")
		want(t, coins[i], []any{len(parts), parts[0].Role, parts[0].Asked}, []any{1, Recipient,
			Asked{Amount: "0.5", Coin: coins[i+1]}})
	}
}

// TestOnlyAPageWithANameIsExplored: another page of the same site shows no account.
func TestOnlyAPageWithANameIsExplored(t *testing.T) {
	for link, shown := range map[string]string{
		"https://etherscan.io/address/vitalik.eth": "vitalik.eth", "etherscan.io/address/vitalik.eth": "vitalik.eth",
		"https://etherscan.io/blocks": "", "https://etherscan.io": "", "https://evil.example/address/vitalik.eth": "",
	} {
		name, _, is := Explored(link)
		want(t, link, []any{name, is}, []any{shown, shown != ""})
	}
}

// TestTheLinkToASiteIsFoundInAText, and no other name of it.
func TestTheLinkToASiteIsFoundInAText(t *testing.T) {
	for text, link := range map[string]string{
		"evil.example, or https://other.example/x\nand https://evil.example/pay now": "https://evil.example/pay",
		"evil.example": "", "https://other.example/pay": "",
	} {
		want(t, text, LinkTo(text, "evil.example"), link)
	}
}

// TestThePagesOfExplorersAreKnownByTheirPaths, of an EVM chain, of others and of transactions.
func TestThePagesOfExplorersAreKnownByTheirPaths(t *testing.T) {
	const site = "https://x.example/"
	for word := range strings.FieldsSeq("address addresses account accounts token tokens contract contracts profile " +
		"entity " +
		"wallet") {
		for _, path := range []string{word, strings.ToUpper(word)} {
			want(t, path, Read(Things, site+path+"/"+account).Items, []Item{{Addresses, 1, account}})
		}
		want(t, "x"+word, Read(Things, site+"x"+word+"/"+account).Items[0].Field, Domains)
	}
	for word := range strings.FieldsSeq("address addresses account accounts wallet wallets transfer token tokens " +
		"token20 " +
		"tokens20 contract contracts") {
		want(t, word, Read(Things, site+word+"/"+tron).Items, []Item{{Addresses, 1, "tron:728126428:" + tron}})
	}
	for word := range strings.FieldsSeq("tx txs transaction transactions") {
		want(t, word, Read(Things, site+word+"/"+transaction).Items, []Item{{Transactions, 1, transaction}})
	}
	for word := range strings.FieldsSeq("tx txid txn transaction transactions transaccion transacción transaktion " +
		"transacão transaçao transação hash 交易 交易哈希 哈希") {
		for _, mark := range []string{" ", ": ", "# ", "= "} {
			want(t, word+mark, Read(Things, word+mark+transaction[2:]).Items, []Item{{Transactions, 1, transaction[2:]}})
		}
	}
}

// TestAWalletThatTheLineCallsTheWritersOwnIsAskedAbout, in the languages of the pages.
func TestAWalletThatTheLineCallsTheWritersOwnIsAskedAbout(t *testing.T) {
	var texts []string
	for my := range strings.FieldsSeq("my mi mein meine meiner meinem meu minha mon ma") {
		if my != "meinem" {
			texts = append(texts, my+" wallet")
		}
	}
	for what := range strings.FieldsSeq("wallet address account billetera cartera monedero dirección direccion cuenta " +
		"adresse " +
		"konto carteira endereço endereco conta portefeuille compte") {
		texts = append(texts, "my "+what, "MY "+what+":", "my own "+what, "my propia "+what, "my eigene "+what)
	}
	for what := range strings.FieldsSeq("钱包 地址 账户 帐户") {
		texts = append(texts, "我的"+what)
	}
	for _, text := range texts {
		want(t, text, Read(Things, "x "+text+" "+account).Problems, []Problem{{Kind: OwnAddress, Line: 1, Text: account}})
	}
	for _, text := range []string{"his wallet", "my walletx", "amy wallet", "my old wallet"} {
		want(t, text, Read(Things, "x "+text+" "+account).Problems, []Problem(nil))
	}
}
