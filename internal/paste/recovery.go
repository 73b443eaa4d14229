package paste

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
