package tocsin

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

const (
	seedPhrase = "legal winner thank year wave sausage worth useful legal winner thank yellow" // a test vector of BIP-39
	privateKey = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
)

func TestASeedPhraseIsTwelveWordsInARow(t *testing.T) {
	words := strings.Fields(seedPhrase)
	for text, found := range map[string]bool{
		seedPhrase:                              true,
		strings.Join(words[:11], " "):           false,
		strings.Join(words[:11], " ") + " the ": false,
		strings.Join(words[:6], " ") + " the " + strings.Join(words[6:], " "):                false,
		strings.Join(words[:6], " ") + ", 7) " + strings.Join(words[6:], " "):                true,
		"legal " + seedPhrase + " the":                                                       true,
		"the " + strings.Join(words[:3], " ") + " the " + seedPhrase:                         true,
		strings.Join(words[:11], " ") + " the " + strings.Join(words[:11], " ") + " the end": false,
	} {
		if err := FindSecret(text); (err != nil) != found {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestASeedPhraseWithASlipIsOne: of ten distinct words a thief can try the other two, also in other languages.
// Prose has as many, but short ones.
func TestASeedPhraseWithASlipIsOne(t *testing.T) {
	var (
		english    = strings.Fields("letter advice cage absurd amount doctor acoustic avoid elephant wrap hollow zebra")
		spanish    = strings.Fields("ábaco abdomen abeja abierto abogado abono aborto abrazo abrir abuelo acción árbol")
		french     = strings.Fields(bip39French[:110])[:11]
		portuguese = strings.Fields(bip39Portuguese[:100])[:11]
	)
	with := func(words []string, at int, typed string) string {
		words = slices.Clone(words)
		words[at] = typed
		return strings.Join(words, " ")
	}
	for text, found := range map[string]bool{
		strings.Join(english[1:], " "):                                             true,
		strings.Join(english[:11], "\n"):                                           true,
		strings.Join(english[2:], " "):                                             true,
		strings.Join(english[3:], " "):                                             false,
		with(english, 5, "docter"):                                                 true,
		with(english, 11, "zebr"):                                                  true,
		with(english, 5, "docter wrng"):                                            true,
		with(english, 5, "docter hand wrng"):                                       true,
		with(english, 5, "docter wrnt blub blub"):                                  false,
		with(english[2:], 5, "avid the"):                                           false,
		with(english, 5, english[4]):                                               true,
		with(english[1:], 5, english[4]):                                           true,
		with(english[2:], 5, english[4]):                                           false,
		"The first call that you can copy and run. Keep the key where you keep it": false,
		strings.Join(spanish, " "):                                                 true,
		with(spanish, 3, "avierto"):                                                true,
		"abaco " + strings.Join(spanish[1:], " "):                                  true,
		"a\u0301baco " + strings.Join(spanish[1:11], ", "):                         true,
		strings.Join(french, " "):                                                  true,
		strings.ToUpper(strings.Join(portuguese, " ")):                             true,
		"Me han estafado, dinero perdido en una plataforma falsa, aviso a la gente: no enviar nada a nadie": false,
	} {
		if err := FindSecret(text); (err != nil) != found {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAPhraseIsFoundInEachLanguageOfBIP39, and prose in none of them.
func TestAPhraseIsFoundInEachLanguageOfBIP39(t *testing.T) {
	from := func(list string, at int) string { return strings.Join(strings.Fields(list)[at:at+12], " ") }
	const (
		chinese     = "的 一 是 在 不 了 有 和 人 这 中 大"
		traditional = "1. 歇 2. 疆 3. 劍 4. 臟 5. 癥 6. 髒 7. 擾 8. 裡 9. 濟 10. 龍 11. 鬆 12. 憂"
		japanese    = "あいこくしん　あいさつ　あいだ　あおぞら　あかちゃん　あきる　あけがた　あける　あこがれる　あさい　あさひ　あしあと"
	)
	for text, found := range map[string]bool{
		from(bip39Italian, 700):                         true,
		from(bip39Czech, 900):                           true,
		from(bip39Korean, 300):                          true,
		norm.NFC.String(from(bip39Korean, 300)):         true,
		"Frase: " + from(bip39Italian, 0) + ".":         true,
		chinese:                                         true,
		"我的助记词是：" + chinese:                             true,
		traditional:                                     true,
		japanese:                                        true,
		norm.NFD.String(japanese):                       true,
		strings.Join(strings.Fields(chinese)[:10], " "): false,
	} {
		if err := FindSecret(text); (err != nil) != found {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, prose := range []string{
		"Mi hanno truffato su un sito di investimenti falso: ho mandato tutti i miei soldi e poi non ho più potuto " +
			"prelevare niente, perché prima volevano una tassa e dopo ancora una commissione di conferma",
		"Poslal jsem všechny peníze na adresu, kterou mi dali, a potom už nikdo neodpovídal na moje zprávy ani na telefon",
		"가짜 투자 사이트에 돈을 보냈는데 출금을 하려고 하니 먼저 세금을 내라고 했고 그 다음에는 수수료를 더 보내라고 했습니다",
		"我在一个假的投资网站上充值，后来客服说要先交税才能提现，交了以后就再也联系不上了。他 们 是 骗 子",
		"にせのサイトにおかねをおくりました。そのあと、れんらくがとれなくなりました。どうしたらいいですか。",
	} {
		if err := FindSecret(prose); err != nil {
			t.Errorf("%q: %v", prose, err)
		}
	}
	rest, _ := WithoutSecrets("我的助记词是："+chinese+"，他拿走了", "[phrase]", "[key]", "[token]")
	if rest != "我的助记词是：[phrase]，他拿走了" {
		t.Errorf("what is left is %q", rest)
	}
}

// TestKeysOfOtherFormsAreSecrets: of Solana as a list of bytes, and those of this service.
func TestKeysOfOtherFormsAreSecrets(t *testing.T) {
	key, err := NewKey(strings.NewReader(strings.Repeat("k", 20)))
	if err != nil {
		t.Fatal(err)
	}
	own, token := string(key), strings.Replace(string(key), "toc_", "man_", 1)
	bytes := strings.TrimSuffix(strings.Repeat("174,47,0,255,", 16), ",")
	for text, rest := range map[string]string{
		"[" + bytes + "]": "[[key]]",
		"my key is\n[" + strings.ReplaceAll(bytes, ",", ",\n  ") + "] and gone": "my key is\n[[key]] and gone",
		bytes[4:]:                               bytes[4:],
		strings.Replace(bytes, "255", "256", 1): strings.Replace(bytes, "255", "256", 1),
		strings.ReplaceAll(bytes, "0,", "0.5,"): strings.ReplaceAll(bytes, "0,", "0.5,"),
		"x-api-key: " + own + ".":               "x-api-key: [token].",
		"TOCSIN_KEY=" + own + " " + token:       "TOCSIN_KEY=[token] [token]",
		own[:41] + "x":                          own[:41] + "x", // mistyped: it opens nothing
		own + "x":                               own + "x",
	} {
		got, found := WithoutSecrets(text, "[phrase]", "[key]", "[token]")
		if got != rest || found != (got != text) || found != (FindSecret(text) != nil) {
			t.Errorf("%q: %q, %t, %v", text, got, found, FindSecret(text))
		}
		if of := strings.Contains(rest, "[token]"); OnlyTokens(text) != of || OnlyTokens(text+" "+bytes) {
			t.Errorf("%q has only tokens: %t", text, !of)
		}
		if found && Clip(text, 1000) != "…" {
			t.Errorf("%q is clipped to %q", text, Clip(text, 1000))
		}
	}
	if err := FindSecret("my key: " + own); err == nil || !strings.Contains(err.Error(), "API key") {
		t.Errorf("%v", err)
	}
	if LogPath("/screen/"+token) == "/screen/"+token {
		t.Error("a token is in the log")
	}
}

func TestTheFormsOfAPrivateKey(t *testing.T) {
	run := func(n int) string { return strings.Repeat("z", n) }
	far := strings.Repeat("x", 55)
	for text, found := range map[string]bool{
		privateKey:                                true,
		"0x" + privateKey:                         false, // the hash of a transaction has the same form
		"private key: 0x" + privateKey:            true,
		"Secret-Key 0X" + privateKey:              true,
		"seed " + far + " 0x" + privateKey:        false, // too far before it
		"seed " + far[:50] + " 0x" + privateKey:   true,
		"tx " + privateKey:                        false,
		"I sent 2300 to them: " + privateKey:      false,
		"He paid with " + privateKey:              false,
		"Aquí el comprobante: " + privateKey:      false,
		"enviado " + privateKey:                   false,
		"Beleg: " + privateKey:                    false,
		"le reçu " + privateKey:                   false,
		"付款 " + privateKey:                        false,
		"I sent my private key " + privateKey:     true,
		"I resented " + privateKey:                true,
		"tx " + far + "xxxxx " + privateKey:       true,
		"the private key of tx " + privateKey:     true,
		privateKey[1:]:                            false,
		privateKey + "0":                          false,
		privateKey + "_":                          false,
		"K" + run(50):                             true, // WIF
		"5" + run(51):                             true,
		"L" + run(51):                             true,
		"L" + run(52):                             false,
		"K" + run(49):                             false,
		"xprv" + run(100):                         true, // BIP-32
		"yprv" + run(112):                         true,
		"zprv" + run(99):                          false,
		"zprv" + run(100):                         true,
		"xprv" + run(113):                         false,
		"6P" + run(56):                            true, // BIP-38
		"6P" + run(57):                            false,
		"S" + strings.Repeat("A", 55):             true, // Stellar
		"G" + strings.Repeat("A", 55):             false,
		"nsec1" + run(58):                         true, // Nostr
		"npub1" + run(58):                         false,
		"suiprivkey1" + run(59):                   true, // Sui
		run(87) + " is the key":                   true, // Solana
		run(88):                                   true,
		run(86):                                   false,
		run(89):                                   false,
		"my transaction " + run(88):               false,
		"https://solscan.io/tx/" + run(88):        false,
		"0x" + strings.ToUpper(privateKey) + "\n": false,

		// The nearest word says what it is.
		"I sent him my key " + privateKey:                      true,
		"my key is 0x" + privateKey:                            true,
		"Le envié mi clave privada " + privateKey:              true,
		"Enviei a minha chave: " + privateKey:                  true,
		"J’ai envoyé ma clé " + privateKey:                     true,
		"ma clé privée, envoyée: " + privateKey:                true,
		"Überwiesen. Schlüssel: " + privateKey:                 true,
		"Privater Schlüssel, tx " + privateKey:                 true,
		"我付款后给了他私钥" + privateKey:                               true,
		"my key was safe, the tx is " + privateKey:             false,
		"the key point is that I paid with tx 0x" + privateKey: false,
		"la clave es que el pago lo hice con tx " + privateKey: false,
		"envoyé à Clément " + privateKey:                       false,
		"The transfer to Turkey: " + privateKey:                false,
	} {
		if err := FindSecret(text); (err != nil) != found {
			t.Errorf("%q: %v", text, err)
		}
	}
	err := FindSecret("my key is " + privateKey)
	if err == nil || strings.Contains(err.Error(), privateKey[:8]) || !strings.Contains(err.Error(), "transactionHashes") {
		t.Errorf("%v", err)
	}
}

func TestClipKeepsToItsLimitAndRepeatsNoSecret(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"🧑🚒🌈!", 3, "🧑🚒…"},
	} {
		if got := Clip(c.text, c.n); got != c.want || Shorten(c.text, c.n) != c.want {
			t.Errorf("%q: %q, %q, not %q", c.text, got, Shorten(c.text, c.n), c.want)
		}
	}
	for _, secret := range []string{
		seedPhrase, strings.ReplaceAll(seedPhrase, " ", "."), privateKey, "0x" + privateKey, "/0x" + privateKey + ".",
		"K" + strings.Repeat("z", 50), "a_K" + strings.Repeat("z", 50), "tx " + privateKey,
		"act act act act act act act act act act act act",
	} {
		for _, n := range []int{3, 60, 1000} {
			if got := Clip(secret, n); got != "…" {
				t.Errorf("%q is clipped to %q", secret, got)
			}
		}
	}
	if got := Clip(strings.Repeat("z ", 25)+seedPhrase, 60); got != "…" {
		t.Errorf("a seed phrase that goes on behind the limit is clipped to %q", got)
	}
	if got := Clip(strings.Repeat("z ", 100_000)+seedPhrase, 6); got != "z z z…" { // what is far away is not searched
		t.Errorf("a text of 200 KB is clipped to %q", got)
	}
	for _, text := range []string{privateKey[1:], "0x" + privateKey[24:], strings.Repeat("z", 48)} {
		if got := Clip(text, 1000); got != text {
			t.Errorf("%q is clipped to %q", text, got)
		}
	}
}

// TestNoSecretIsMissedForBeingCountedWrongly holds the quick look that decides
// whether a text is searched at all.
func TestNoSecretIsMissedForBeingCountedWrongly(t *testing.T) {
	key := strings.Repeat("K", 1) + strings.Repeat("x", 50) // 51 characters
	for _, text := range []string{key, "\xff" + key, key + "\xff", "é" + key, "/" + key + "/", "a_" + key} {
		if _, longest := countRuns(text); longest < 51 {
			t.Errorf("%q: the longest run has %d bytes", text, longest)
		}
	}
	phrase := strings.Repeat("abandon1", 11) + "about"
	for _, text := range []string{phrase, strings.ReplaceAll(phrase, "1", "\xff"), strings.ReplaceAll(phrase, "1", ", ")} {
		if letters, _ := countRuns(text); letters != 12 {
			t.Errorf("%q: %d runs of letters", text, letters)
		}
	}
}

// TestASecretIsTakenOutOfAText, also one with a word that is mistyped, and nothing else.
func TestASecretIsTakenOutOfAText(t *testing.T) {
	const mistyped = "abandon ability able about above absint absorb abstract absurd abuse access accident"
	const atEnds = "abandn ability able about above absent absorb abstract absurd abuse access acciednt"
	numbered := strings.ReplaceAll(seedPhrase, " ", "\n2. ")
	for text, rest := range map[string]string{
		"":                       "",
		"He took it.":            "He took it.",
		seedPhrase:               "[phrase]",
		"So " + seedPhrase + ".": "So [phrase].",
		"So " + strings.ToUpper(seedPhrase) + ", he said. And so: " + mistyped + "\nGone": "So [phrase], he said. " +
			"And so: [phrase]\nGone",
		"So: " + atEnds + " and all was gone.":                              "So: [phrase] and all was gone.",
		"They are:\n1. " + numbered + "\nHe took it":                        "They are:\n1. [phrase]\nHe took it",
		"my key is " + privateKey + " and " + seedPhrase + " " + seedPhrase: "my key is [key] and [phrase]",
		// Of the words behind it only those in a row are others.
		seedPhrase + " blub hollow blub zebra blub doctor.": "[phrase].",
		"tx 0x" + privateKey + " is no key":                 "tx 0x" + privateKey + " is no key",
	} {
		got, found := WithoutSecrets(text, "[phrase]", "[key]", "[token]")
		if got != rest || found != (FindSecret(text) != nil) {
			t.Errorf("%q: %q, %t", text, got, found)
		}
	}
}
