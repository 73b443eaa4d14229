package paste

import (
	"slices"
	"strings"
	"testing"
)

// services are what people call a service, and the handle of lena88 or of a number on it.
var services = strings.Fields("telegram telegram:lena88 tg telegram:lena88 instagram instagram:lena88 " +
	"insta instagram:lena88 ig instagram:lena88 facebook facebook:lena88 fb facebook:lena88 " +
	"messenger facebook:lena88 discord discord:lena88 twitter x:lena88")

// prepositions are between a name and its service, in the languages of the pages.
const prepositions = "on en auf sur em no via por par bei"

// TestEveryServiceIsKnownByItsNames: before a name and behind it, with every mark, in the form and in the box.
func TestEveryServiceIsKnownByItsNames(t *testing.T) {
	both := func(text string, handles ...string) {
		t.Helper()
		var read []string
		found := Read(Things, text)
		for _, item := range found.Items {
			read = append(read, item.Text)
		}
		if !slices.Equal(read, handles) || len(found.Problems)+len(found.Aside) > 0 {
			t.Errorf("form: %q: %+v", text, found)
		}
		if b := ReadBox(text); !slices.Equal(b.Handles, handles) || len(b.Subjects) > 0 {
			t.Errorf("box: %q: %+v", text, b)
		}
	}
	for i := 0; i < len(services); i += 2 {
		service, handle := services[i], services[i+1]
		for _, text := range []string{"S lena88", "S: lena88", "S=lena88", "S @lena88", "S: @lena88", "lena88 S",
			"@lena88 S", "lena88 (S)", "lena88 - S", "lena88 – S", "(S lena88"} {
			both(strings.ReplaceAll(text, "S", service), handle)
			both(strings.ReplaceAll(text, "S", strings.ToUpper(service)), handle)
		}
		both("@name88, "+service+" lena88", handle, "name:@name88")
		for word := range strings.FieldsSeq(prepositions) {
			both("lena88 "+word+" "+service, handle)
		}
	}
	both("x: lena88", "x:lena88")
	both("x = @lena88", "x:lena88")
	for i, text := range []string{"phone", "tel", "mobile", "whatsapp", "whats app", "wa"} {
		handle := "phone:+442079460958"
		if i > 2 {
			handle = "whatsapp:+442079460958"
		}
		both(text+": +44 20 7946 0958", handle)
	}
	for _, text := range []string{"email: ", "e-mail: ", "telegram: ", ""} {
		mails := []string{"email:lena@mail.example"}
		want(t, text, ReadBox(text+"lena@mail.example").Handles, mails)
		want(t, text, Read(Things, text+"lena@mail.example").Items, []Item{{Handles, 1, mails[0]}})
	}
	for _, text := range strings.Fields("name nombre usuario nome usuário nom utilisateur benutzer 姓名 名字 用户名") {
		both(text+": Lena Gold", "name:Lena Gold")
		both(text+"：Lena Gold", "name:Lena Gold")
	}
}

// TestANumberIsOfWhatsAppByTheWordsBesideIt, before it and behind it.
func TestANumberIsOfWhatsAppByTheWordsBesideIt(t *testing.T) {
	const number, phone = "+44 20 7946 0958", "phone:+442079460958"
	texts := strings.Split("whatsapp N,whats app: N,wa N,whatsapp (N,whatsapp is N,whatsapp es N,whatsapp ist N,"+
		"whatsapp est N,whatsapp é N,N whatsapp,N (whatsapp),N - whats app,N – wa,N\u00a0wa,wa\u00a0(N", ",")
	for word := range strings.FieldsSeq(prepositions) {
		texts = append(texts, "N "+word+" whatsapp")
	}
	for _, text := range texts {
		want(t, text, ReadBox(strings.Replace(text, "N", number, 1)).Handles, []string{"whatsapp:+442079460958"})
	}
	for _, text := range []string{"N", "N, whatsapp", "N to whatsapp", "iwa N", "N wax", "whatsapp was N"} {
		want(t, text, ReadBox(strings.Replace(text, "N", number, 1)).Handles, []string{phone})
	}
	for _, text := range []string{"N whatsapp +52 55 1234 5678", "N wa 0052 55 1234 5678"} { // it is of the next one
		want(t, text, ReadBox(strings.Replace(text, "N", number, 1)).Handles, []string{phone, "whatsapp:+525512345678"})
	}
}

// TestTheWordsBesideAHandleAreNoRemark: all others are.
func TestTheWordsBesideAHandleAreNoRemark(t *testing.T) {
	words := strings.Fields("whatsapp wa phone tel mobile email e-mail " + prepositions)
	for i := 0; i < len(services); i += 2 {
		words = append(words, services[i])
	}
	for _, word := range words {
		want(t, word, Read(Things, "evil.example "+word+" today").Aside, []string{"today"})
		want(t, word+"y", Read(Things, "evil.example "+word+"y").Aside, []string{word + "y"})
	}
}

func TestAServiceIsOfTheNameThatIsNext(t *testing.T) {
	for text, handles := range map[string]string{
		"telegram " + "a" + strings.Repeat("1", maxName-1): "telegram:a" + strings.Repeat("1", maxName-1),
		"telegram " + "a" + strings.Repeat("1", maxName):   "",
		"a" + strings.Repeat("1", maxName-1) + " telegram": "telegram:a" + strings.Repeat("1", maxName-1),
		"gold55 instagram lena88":                          "instagram:gold55",
		"lena88 telegram, instagram gold55":                "instagram:gold55 telegram:lena88",
		"telegram lena88 discord gold55 twitter rose99":    "telegram:lena88 discord:gold55 x:rose99",
		"@lena88 @LENA88, telegram: lena88 ig=lena88":      "telegram:lena88",
		"lena@mail.example lena@mail.example @gold55":      "email:lena@mail.example name:@gold55",
		"telegram lena":   "",
		"telegram lena_":  "telegram:lena_",
		"telegram @lena.": "telegram:lena",
	} {
		want(t, text, strings.Join(ReadBox(text).Handles, " "), handles)
	}
}

// TestAClaimHasItsWordsAndWhatFollowsThem, without what is around them.
func TestAClaimHasItsWordsAndWhatFollowsThem(t *testing.T) {
	want(t, "a number", Claims("Write to me. My phone number is: +34 612 345 678, please"),
		[]Claim{{"My phone number is", SpellingOf("+34 612 345 678")}})
}

// TestAllThatSomebodyCallsTheirOwnIsTheirs, in the languages of the pages.
func TestAllThatSomebodyCallsTheirOwnIsTheirs(t *testing.T) {
	const mail = "lena@mail.example"
	words := strings.Fields("own personal private phone telephone tel mobile cell cellphone number numbers no whatsapp " +
		"wa " +
		"email e-mail mail gmail address account user username is was telegram tg instagram insta ig facebook fb messenger " +
		"discord twitter propio propia teléfono telefono móvil movil celular cel número numero correo electrónico " +
		"electronico dirección direccion usuario cuenta de es era nummer telefonnummer handynummer mobilnummer rufnummer " +
		"telefon handy emailadresse e-mail-adresse adresse ist lautet téléphone telephone portable numéro courriel " +
		"électronique electronique compte est telefone telemóvel telemovel endereço endereco eletrônico eletronico conta é")
	for _, word := range append(words, "whats app", "email adresse") {
		for _, text := range []string{"my " + word + " " + mail, "It is my " + word + ": " + mail} {
			want(t, text, ReadBox(text).Own, []string{"email:" + mail})
		}
	}
	for word := range strings.FieldsSeq("my mi mis mein meine mon ma mes meu meus minha minhas") {
		want(t, word, ReadBox(word+" mail is "+mail).Own, []string{"email:" + mail})
	}
	for word := range strings.FieldsSeq("手机 手机号 手机号码 手机码 电话 电话号码 邮箱 邮件 号码 微信 账号 地址 邮箱是") {
		want(t, word, ReadBox("我的"+word+" "+mail).Own, []string{"email:" + mail})
		want(t, word, ReadBox("我"+word+"： "+mail).Own, []string{"email:" + mail})
	}
	for _, text := range []string{"his mail is " + mail, "amy mail is " + mail, "my friend is " + mail, "my " + mail,
		"my own own own own own own own " + mail} {
		want(t, text, ReadBox(text).Own, []string(nil))
	}
}
