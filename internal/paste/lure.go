package paste

import "regexp"

// Lure is a demand or a promise in a message that only fraud makes.
type Lure string

// The lures.
const (
	AsksPhrase Lure = "asks_phrase" // a recovery phrase or a private key
	Doubles    Lure = "doubles"     // money, of which more is to come back
	SafeWallet Lure = "safe_wallet" // to move money to a safe wallet or account
	NewNumber  Lure = "new_number"  // to write to a new number, as a child or a parent whose phone is broken
)

var (
	// asksPhraseIn matches words with which somebody asks for a recovery phrase or a private key, in the languages of
	// the pages.
	asksPhraseIn = later(`(?i)(?:\b(?:(?:send|enter|give|provide|share|type|submit|import|input|tell|confirm|verify|` +
		`reply with|paste|write)(?: us| me| in)?(?: with)? (?:your|the)|asks?(?:ed|ing)?(?: \pL+)? for (?:my|your|the)|` +
		`(?:senden?|schicken?|gib|geben?|teilen?|nennen?|bestätigen?|tippen?|importieren?)(?: sie)?(?: uns| mir)?` +
		`(?: bitte)? (?:ihre?n?|deine?n?|die|den)|` +
		`(?:env[ií][ae]|introdu(?:ce|zca)|escrib[ae]|ingres[ae]|d[ae]|compart[ae]|confirm[ae]|mand[ae]|facilit[ae])` +
		`(?:nos|me)? (?:tus?|sus?|las?)|` +
		`(?:envoy(?:ez|er)|envoie|saisi(?:ssez|r|s)|entre[zr]?|donne[zr]?|communique[zr]?|partage[zr]?|indique[zr]?|` +
		`confirme[zr]?)(?:[- ](?:nous|moi))? (?:votre|vos|ta|tes|la|les)|` +
		`(?:envi[ae]|digite|insira|informe|forneça|compartilhe|partilhe|introduza|confirme|mande|escreva)` +
		`(?:[- ](?:nos|me))?(?: as?)? (?:suas?|tuas?|as?))\b|(?:发送|发给|输入|提供|填写|告诉|提交))` +
		`.{0,30}?(?:(?:recovery|seed|secret|backup|mnemonic)[ -](?:recovery )?(?:phrase|words?)|private key|` +
		`seed-?phrase|(?:wiederherstellungs|sicherungs)phrase|privaten schlüssel|` +
		`frase (?:semilla|de recuperaci[óo]n|secreta|de respaldo|de recuperaç[ãa]o|semente)|clave privada|` +
		`phrase (?:de r[ée]cup[ée]ration|secr[èe]te)|cl[ée] priv[ée]e|chave privada|助记词|私钥)`)
	// toldNot matches the end of what is before words that tell not to do so.
	toldNot = later(`(?i)(?:\b(?:never|not|don.?t|won.?t|nie|niemals|nicht|nunca|jamais|n[oã]o?|ne)\b|不|勿|别)` +
		`[^.!?。！？\n]{0,30}$`)
	// doublesIn matches the promise that more comes back than was sent.
	doublesIn = later(`(?i)\b(?:send|deposit|transfer)\b.{0,140}\b(?:get|receive)\b.{0,20}` +
		`(?:[0-9][^.!?]{0,12}\bback\b|\b(?:double|twice|[2-9]x|x[2-9])\b)|` +
		`\bdouble your (?:crypto|bitcoins?|btc|eth|coins|money|deposit)\b|` +
		`\b(?:sende\w*|schick\w*|überweis\w*).{0,140}\b(?:bekomm|erhalt|erhält).{0,30}` +
		`(?:[0-9].{0,12}zurück|doppelte?\b)|` +
		`\benv[ií][ae]\b.{0,140}\b(?:recib|recuper).{0,20}(?:[0-9].{0,12}de vuelta|\bdoble\b)|` +
		`\benvo(?:yez|ie)\b.{0,140}\bre(?:cev|ço).{0,20}(?:[0-9].{0,12}en retour|\bdouble\b)|` +
		`\benvi[ae]\b.{0,140}\brece[bv].{0,20}(?:[0-9].{0,12}de volta|\bdobro\b)|` +
		`(?:发送|转|打).{0,80}(?:返|得|收到|获得).{0,8}(?:双倍|两倍|翻倍)`)
	// safeWalletIn matches the demand to move money to where it is said to be safe.
	safeWalletIn = later(`(?i)\b(?:move|transfer|send|migrate)\b.{0,60}\b(?:safe|secured?|protected)(?: \w+)? ` +
		`(?:wallet|account|address|vault)\b|` +
		`(?:überweis|übertrag|transferier|verschieb|schick|send).{0,60}\b(?:sicher|geschützt)e[nsr]? ` +
		`(?:wallet|konto|adresse)|` +
		`\b(?:muev[ae]|transfier[ae]|env[ií][ae]|trasl[ae]d[ae]|pas[ae])\b.{0,60}` +
		`\b(?:billetera|wallet|cuenta|monedero|cartera) (?:segur|protegid)[ao]|` +
		`\b(?:déplacez|transférez|envoyez|virez).{0,60}\b(?:portefeuille|wallet|compte|adresse) (?:sécurisée?|sûre?)|` +
		`\b(?:mova|transfira|envie|passe)\b.{0,60}\b(?:carteira|conta|wallet) segura|` +
		`(?:转|移).{0,20}安全.{0,2}(?:钱包|账户|账号)`)
	// newNumberIn matches that somebody has a new number, theirsIn that they speak to a parent or a child.
	newNumberIn = later(`(?i)\b(?:new|neue|nuevo|nouveau|novo) (?:\pL{0,9} )?` +
		`(?:(?:handy|telefon)?nummer|number|n[uú]m[eé]ro)|` +
		`\bnúmero nuevo|新(?:的)?(?:手机号|号码|电话)`)
	theirsIn = later(`(?i)(?:^|[^\pL])(?:mum|mom|mummy|mommy|dad|daddy|mama|mami|mutti|papa|papi|` +
		`mamá|papá|maman|mãe|pai)(?:[^\pL]|$)|妈|爸`)
)

// LureIn returns the lure in a message; "" for none that we know.
func LureIn(text string) Lure {
	switch {
	case len(text) > maxQuestion:
		return ""
	case hasAsked(text, asksPhraseIn()):
		return AsksPhrase
	case hasAsked(text, safeWalletIn()):
		return SafeWallet
	case hasAsked(text, doublesIn()):
		return Doubles
	case newNumberIn().MatchString(text) && theirsIn().MatchString(text):
		return NewNumber
	}
	return ""
}

// hasAsked reports whether a form matches in a text, and not behind a word that tells not to do so.
func hasAsked(text string, form *regexp.Regexp) bool {
	for _, m := range form.FindAllStringIndex(text, -1) {
		if !toldNot().MatchString(text[max(0, m[0]-maxBefore):m[0]]) {
			return true
		}
	}
	return false
}
