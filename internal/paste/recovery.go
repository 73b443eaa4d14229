package paste

import "strings"

var (
	// bringBack and lostThings match the words with which those who rob victims a second time offer to bring back what
	// others took, and what they offer to bring back or who they say they are, in the languages of the pages.
	bringBack = later(`(?i)\b(?:recover|retriev|reclaim|refund|chargeback|tracing|r[eé]cup[eé]r|` +
		`hire|reverse)|\b(?:get|getting|give|bring|win)\b.{0,30}\bback\b|zur[uü]ck|r[uü]ckhol|追回|找回|挽回|追款`)
	lostThings = later(`(?i)\b(?:funds?|money|crypto|cryptocurrency|bitcoins?|btc|eth|usdt|assets?|coins?|` +
		`stolen|lost|scam(?:med|mer)?|transactions?|hackers?|experts?|specialists?|agents?|services?|compan(?:y|ies)|` +
		`lawyers?|dinero|fondos|criptos?|estafa|robado|dinheiro|fundos|golpe|argent|fonds|escroquerie|arnaque|geld|` +
		`verloren|betrug)\b|钱|资金|币|款|损失|被骗|黑客`)
	ofPhrase = later(`(?i)\b(?:phrase|frase|seed|wiederherstellungsphrase|mnemonic)\b|助记词`)
)

// OffersRecovery reports whether a text is of words with which somebody offers, or looks for, help to get lost money
// back, such as "recover your funds" and "hacker recovery".
func OffersRecovery(text string) bool {
	if len(text) > maxQuestion || ofPhrase().MatchString(text) {
		return false
	}
	return bringBack().MatchString(text) && lostThings().MatchString(text)
}

// support matches words with which somebody says that they are the support of a company, in the languages of the pages.
var support = later(`(?i)(?:^|[^\pL])support|help_?desk|customer[ _]?(?:service|care)|kunden(?:dienst|service)|` +
	`soporte|atenci[oó]n al cliente|suporte|atendimento|service client|客服|支持团队`)

// victimSupport matches the names of those who help victims.
var victimSupport = later(`(?i)(?:victims?'?|bereavement|mental health) ?support|support (?:for|of) victims`)

// ClaimsSupport reports whether a text, such as the name of an account, says that it is of the support of a company.
// The support for victims is help.
func ClaimsSupport(text string) bool {
	return len(text) <= maxQuestion && support().MatchString(text) && !victimSupport().MatchString(text)
}

// recoverySite matches what the names of sites have that offer to bring lost money back.
var recoverySite = later(`(?i)recover|retriev|reclaim|refund|chargeback|recuper|r[eé]cup[eé]r|reembols|rembours|` +
	`(?:funds?|money|cash|crypto|coins?|get)-?back|r(?:ü|ue?)ck(?:hol|erstatt|zahl)|geld-?zur(?:ü|ue?)ck|` +
	`追回|找回|挽回|追款`)

// IsRecoverySite reports whether the name of a site has a word of those who offer to bring lost money back.
func IsRecoverySite(name string) bool { return recoverySite().MatchString(name) }

// victimWords match how people say that they were cheated, or whom they look for then, in the languages of the pages.
var victimWords = later(`(?i)\b(?:(?:scammed|estafad[oa]s?|timad[oa]s?|` +
	`arnaqu[ée]e?|escroqu[ée]e?|abgezockt|betrogen|enganad[oa])` +
	`|(?:police|polic[ií]a|polizei)$)|(?:被骗|报警|警察)`)

// AsksForHelp reports whether a text is of words of somebody who was cheated and looks for help, as "I was scammed".
func AsksForHelp(text string) bool {
	return len(text) <= maxQuestion && victimWords().MatchString(text)
}

var (
	// cannotIn matches how people say that they cannot get their money out, in the languages of the pages.
	cannotIn = later(`(?i)\b(?:can ?no?t|can.?t|could ?n[o'’]?t|unable to|not able to|` +
		`(?:won|does ?n|did ?n)(?:[o'’]?t) let me|` +
		`will not let me)\b.{0,40}\b(?:withdraw\w*|cash (?:it )?out|(?:money|funds|coins|it) out|take .{0,20}out)\b|` +
		`\bwithdrawals?\b.{0,30}\b(?:blocked|frozen|denied|rejected|refused|locked|failed|suspended)\b|` +
		`\bno (?:me |nos )?(?:puedo|pude|podemos|dejan?|permiten?|consigo|logro)\b.{0,40}\b(?:retirar|sacar|cobrar)|` +
		`\b(?:retiros?|retirada)\b.{0,30}\b(?:bloquead|rechazad|congelad|denegad)|` +
		`\b(?:kann|können|konnte|komme)\b.{0,50}\b(?:nicht|kein\pL*)\b.{0,40}` +
		`(?:auszahlen|abheben|auszahlung|an mein geld)|` +
		`\bauszahlung(?:en)?\b.{0,30}\b(?:blockiert|gesperrt|abgelehnt|verweigert|eingefroren)|` +
		`\b(?:peux|peut|puis|arrive|pouvons)\b (?:pas|plus)\b.{0,40}\b(?:retirer|retrait|sortir|récupérer)|` +
		`\bretraits?\b.{0,30}(?:bloqué|refusé|gelé|impossible)|` +
		`\bn[ãa]o (?:consigo|consegui|posso|pude|me deixam?|deixam?)\b.{0,40}\b(?:sacar|retirar|levantar|resgatar)|` +
		`\b(?:saque|levantamento)s?\b.{0,30}\b(?:bloquead|recusad|negad|congelad)|` +
		`(?:不能|无法|没法|没办法|不让我?).{0,8}(?:提现|提款|取款|取出|出金|提币)|` +
		`(?:提现|提款|取款|出金|提币).{0,6}(?:不了|失败|被拒|冻结)|提不了现|提不出来`)
	// feeIn and outIn match what those who keep the money ask for, and what for; payIn matches that it is to be paid.
	feeIn = later(`(?i)\b(?:tax(?:es)?|fees?|deposit|margin|impuestos?|comisi[oó]n|tasas?|` +
		`fianza|dep[oó]sito|steuern?|` +
		`geb(?:ü|ue)hr(?:en)?|kaution|imp[oô]ts?|frais|caution|impostos?|taxas?)\b|税|手续费|保证金|押金|解冻费`)
	outIn = later(`(?i)\b(?:withdraw\w*|unlock\w*|unfreez\w*|unblock\w*|releas\w*|cash ?out|pay ?outs?|` +
		`retir(?:ar|o|os|ada)|` +
		`sacar|desbloque\pL*|liberar|auszahl\pL*|abheb\pL*|freischalt\pL*|freigeb\pL*|freigabe|retraits?|retirer|` +
		`d[ée]bloqu\pL*|saques?|resgat\pL*|levantamento)\b|提现|提款|解冻|取款|出金|提币`)
	payIn = later(`(?i)[0-9] ?[%％]|\b(?:pay|paid|paying|send|must|need to|have to|require[sd]?|` +
		`pagar|paga|pague[ns]?|abonar|` +
		`debes?|zahlen|bezahlen|überweisen|payer|payez|verser|régler|pague|precisa)\b|支付|缴|交|付|先`)
)

// CannotGetOut reports whether a text says that somebody cannot get their money out of where they have put it.
func CannotGetOut(text string) bool { return cannotIn().MatchString(text) }

// AsksForFee reports whether a line of a text asks for a fee or a tax before money is paid out.
func AsksForFee(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if feeIn().MatchString(line) && outIn().MatchString(line) && payIn().MatchString(line) {
			return true
		}
	}
	return false
}
