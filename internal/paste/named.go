package paste

import (
	"regexp"
	"slices"
	"strings"
)

// nameWord is a word of a name, nameJoint what may be between two of them, and nameTitle what may be before them.
const (
	nameWord  = `\p{Lu}(?:[\pL'’-]*\pL)`
	nameJoint = `(?:(?:de las?|de los|del|da|do|dos|das|van|von|der|den|zu) ){1,2}`
	nameTitle = `(?:(?i:sra?\.?|se[ñn]ora?|do[ñn]a|d\.|d[ªº]\.?|mr\.?|mrs\.?|ms\.?|miss|herrn?|frau|monsieur|madame|mme|` +
		`senhora?) )?`
	nextName = `(?: (?:` + nameJoint + `)?` + nameWord + `)`
)

// Words before a name that may be the writer's own or of somebody close to them, in the languages of the pages.
// isNamed is before two names or more only, and so are payerWords, of the receipt of a bank, and holderWords.
const (
	calledWords = `my name is|my name.s|i am called|me llamo|mi nombre(?: completo)? es|ich hei(?:ß|ss)e|mein name ist|` +
		`je m.appelle|mon nom est|me chamo|(?:o )?meu nome [ée]|我叫|` +
		`me llaman|mi nombre ?:|my name ?:|mein name ?:|mon nom ?:|meu nome ?:|我的名字(?:是|叫)`
	isNamed = signedWords + `|soy|sou(?: [ao])?|i am|i.m|ich bin|je suis|yo,|` +
		`(?:un )?saludos?,|(?:(?:best|kind) )?regards,|(?:mit )?freundlichen? gr[üu](?:ß|ss)en?,?|` +
		`(?:bien )?cordialement,|atenciosamente,|(?:com os melhores )?cumprimentos,`
	signedWords = `firmado:?|firma:|fdo[.:]{1,2}|signed:?|gezeichnet:?|gez[.:]{1,2}|sign[ée]e? ?:|assinado:?|` +
		`ass[.:]{1,2}`
	// closingWords end a letter, so that a name behind them ends its line or a sentence.
	closingWords = `atentamente|atte\.?|un abrazo|abrazos|gracias|yours(?: sincerely| faithfully| truly)?|` +
		`sincerely(?: yours)?|(?:many )?thanks|thank you|cheers|mfg|lg|vg|(?:viele|liebe|herzliche|beste) gr[üu](?:ß|ss)e|` +
		`danke|merci|(?:bien )?cordialement|obrigad[oa]|abraços|att\.?|cumprimentos|` +
		`(?:(?:best|kind) )?regards|saludos|(?:mit )?freundlichen? gr[üu](?:ß|ss)en?`
	familyWords = `mi (?:marido|mujer|espos[oa]|hij[oa]|madre|padre|mam[áa]|pap[áa]|herman[oa]|niet[oa]|abuel[oa]|` +
		`t[íi][oa]|prim[oa]|sobrin[oa]|suegr[oa]|cuñad[oa]|amig[oa]|novi[oa]|pareja|vecin[oa])|` +
		`my (?:husband|wife|son|daughter|mother|father|mum|mom|dad|brother|sister|grandson|granddaughter|grandmother|` +
		`grandfather|uncle|aunt|cousin|nephew|niece|friend|(?:boy|girl)friend|partner|neighbou?r)|` +
		`mein(?:e[mnrs]?)? (?:mann|frau|sohn|tochter|mutter|vater|bruder|schwester|enkelin|enkel|oma|opa|onkel|tante|` +
		`cousine?|neffen?|nichte|freund(?:in)?|partner(?:in)?|nachbar(?:i?n)?)|` +
		`(?:mon|ma) (?:mari|femme|[ée]pouse|fils|fille|m[èe]re|p[èe]re|fr[èe]re|s(?:œ|oe)ur|oncle|tante|cousine?|neveu|` +
		`ni[èe]ce|amie?|copine?|compagne|compagnon|voisine?)|` +
		`(?:meu|minha) (?:marido|mulher|espos[oa]|filh[oa]|m[ãa]e|pai|irm[ãa]o?|net[oa]|ti[oa]|prim[oa]|sobrinh[oa]|` +
		`amig[oa]|namorad[oa]|vizinh[oa])`
	knownWords  = `my (?:full )?name|mi nombre(?: completo)?|mein(?:en|em)? (?:vollen )?namen?|mon nom|meu nome`
	holderWords = `(?:in|under) the name(?: of)?|(?:account|card) ?holder(?:.s)?(?: name)?(?: is| was)?|` +
		`al? nombre de|bajo el nombre de|titular(?: de (?:la )?cuenta| da conta)?(?: es| era| é)?|` +
		`(?:auf|unter) (?:den|dem) namen(?: von)?|im namen von|(?:konto|karten)?inhaber(?:in)?(?: ist| war)?|` +
		`au nom de|titulaire(?: du compte)?(?: est| était)?|(?:em|no) nome d[eao]`
	payerWords = `(?:nombre del )?ordenante|pagador(?:a)?|payer(?: name)?|sender(?:.s)? name|remitter|originator|` +
		`ordering (?:customer|party)|auftraggeber(?:in)?|zahler(?:in)?|donneur d.ordre|[ée]metteur|payeur`
	greetingWords = `hola|buenas|buen(?:os|as) (?:d[íi]as|tardes|noches)|querid[oa]|estimad[oa]|` +
		`hello|hi|hey|dear|good (?:morning|afternoon|evening)|` +
		`hallo|liebe[r]?|guten (?:morgen|tag|abend)|sehr geehrte[r]?|` +
		`bonjour|bonsoir|salut|ch[eè]re?|ol[áa]|oi|bom dia|boa (?:tarde|noite)|car[oa]|prezad[oa]`
	selfHan    = `(?:我是|本人|我(?:老婆|老公|妻子|丈夫|儿子|女儿|妈妈?|爸爸?|母亲|父亲|哥哥?|姐姐?|弟弟?|妹妹?)(?:叫|是)?)`
	surnameHan = `[王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜` +
		`崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤]`
	heldThen    = `(?:(?i:` + holderWords + `)(?: ?:)?\s{1,3}|(?i:au nom d)['’])`
	payerHan    = `(?:付款人|付款方|汇款人)(?:姓名|户名|名称)?[:：]`
	greetingHan = `(?:亲爱的|尊敬的)`
)

var (
	// nameIsIn matches where a text gives a name: the writer's own, of somebody of their family, of who has paid.
	nameIsIn = later(`(?:^|[^\pL])((?i:` + isNamed + `)\s{1,3}` + nameWord + nextName + `{1,3}|` +
		`(?:(?i:` + closingWords + `)[,.!]?\s{1,3}` + nameWord + nextName + `{1,3}|` +
		`(?i:` + signedWords + `)\s{1,3}` + nameWord + `)(?:[.!]? *(?:\n|$)|[.!] )|` +
		`(?i:` + familyWords + `),? ` + nameWord + nextName + `{0,3}|` +
		`(?:(?i:` + knownWords + `)(?: ?[,:(–-])?\s{0,3}` + nameTitle + nameWord + nextName + `{0,3})|` +
		`(?:` + heldThen + nameTitle + nameWord + nextName + `{1,3})|` +
		`(?i:` + payerWords + `)(?: ?:)?\s{1,3}` + nameTitle +
		`(?:\p{Lu}{2,}(?: \p{Lu}{2,}){1,4}|` + nameWord + nextName + `{1,3})|` +
		payerHan + `\s?\p{Han}{2,4})`)
	// nameHanIn matches where somebody gives their name, or one of their family, in Chinese: a surname that many have,
	// and what is no end of a sentence.
	nameHanIn = later(`(` + selfHan + surnameHan + `\p{Han}?[^\P{Han}的了是过着吗被])(?:\P{Han}|$)`)
	// greetedIn matches where a text greets somebody by name: a message to the writer does.
	greetedIn = later(`(?:^|[^\pL])((?i:` + greetingWords + `),? ` + nameTitle + nameWord + nextName + `{0,2}|` +
		greetingHan + `\p{Han}{2,3})(?:先生|女士|小姐|[^\pL]|$)`)
	// nameThen matches the words before a name, at the beginning of a text.
	nameThen = later(`^(?:(?i:` + isNamed + `|` + calledWords + `):?\s{0,3}|(?i:` + closingWords +
		`)[,.!]?\s{1,3}|(?i:` + familyWords + `),? |` +
		`(?:(?i:` + knownWords + `)(?: ?[,:(–-])?\s{0,3}|` + heldThen + `)` + nameTitle + `|` +
		`(?i:` + payerWords + `)(?: ?:)?\s{1,3}` + nameTitle + `|(?i:` + greetingWords + `),? ` + nameTitle + `|` +
		payerHan + `\s?|` + greetingHan + `|` + selfHan + `)`)
	// nameSaid matches the name behind them.
	nameSaid = later(`^(?:` + nameWord + nextName + `{0,4}|\p{Han}{2,4}$)`)
	// noName matches what many a greeting has in the place of a name.
	noName = later(`^(?i:sra?|srta|don|do[ñn]a|mrs?|ms|miss|dra?|herrn?|mme|mlle|` +
		`there|god|sirs?|madam|all|every(?:one|body)|guys|friends?|team|customer|client|user|i|im|my|` +
		`we|you|this|it|is|are|how|what|who|do|can|please|thanks?|good|nice|soy|me|mi|te|le|les|amig[oa]s?|tod[oa]s|` +
		`se[ñn]ora?s?|cliente?s?|usuari[oa]s?|buen[oa]s?|qu[ée]|tal|c[óo]mo|estoy|somos|gracias|muy|tengo|ich|` +
		`wir|wie|was|sie|du|kund(?:e|in)|freund(?:e|in)?|zusammen|herren?|frau|damen|meine?|je|vous|tu|nous|comment|` +
		`monsieur|madame|amie?s?|tou[st]|mon|ma|merci|eu|você|tud[oe]?|sou|meu|minha|senhora?|bom|boa|dia|como|` +
		`客户.?|用户.?|朋友.?|大家.?|会员.?|顾客.?)(?:[^\pL]|$)`)
)

// NameIn returns the name with which a text says who its writer is, as in "I am Marta Iglesias", who is close to them,
// has paid, or is greeted; "" of another text.
func NameIn(text string) string {
	then := nameThen().FindString(text)
	if then == "" {
		return ""
	}
	name := nameSaid().FindString(text[len(then):])
	if len(name) > maxNameBytes {
		return ""
	}
	return name
}

// withoutNames takes names that may be the writer's own, or of somebody close to them, out of a text, and returns what
// is left. A greeting is one of them if it has the name neither of a sender, who is asked about as such, nor of
// anybody found before it.
func withoutNames(text string, before []string, add func(string)) string {
	known := sendersOf(text)
	for _, said := range before {
		known = append(known, NameIn(said))
	}
	for _, form := range []*regexp.Regexp{nameIsIn(), nameHanIn()} {
		text = takeOut(form, text, endOfWord, func(string, string) bool { return true }, func(said string) {
			known = append(known, NameIn(said))
			add(said)
		})
	}
	known = slices.DeleteFunc(known, func(name string) bool { return name == "" })
	people := PeopleOf(known, nil, true)
	var greetings [][2]int
	for _, m := range greetedIn().FindAllStringSubmatchIndex(text, -1) {
		name := greeted(NameIn(text[m[2]:m[3]]))
		if name != "" && people.Without(name, "") == name {
			from := m[2] + strings.Index(text[m[2]:m[3]], name)
			greetings = append(greetings, [2]int{m[2], from + len(name)})
		}
	}
	return cutOut(text, greetings, add)
}

// greeted is the name with which what is behind a greeting begins; "" for none.
func greeted(words string) string {
	end := 0
	for word := range strings.FieldsSeq(words) {
		if noName().MatchString(word) || slices.Contains(namesToo, strings.ToLower(word)) && end == 0 {
			break
		}
		end = strings.Index(words[end:], word) + end + len(word)
	}
	return words[:end]
}
