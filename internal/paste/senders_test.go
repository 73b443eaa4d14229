package paste

import (
	"strings"
	"testing"
)

// TestTheSendersOfAConversationAreFound, as messengers export and copy one, and as people write it down.
func TestTheSendersOfAConversationAreFound(t *testing.T) {
	for text, names := range map[string]string{
		"[12.03.26, 10:22] Maria Gonzalez: Hola\n[12.03.26, 10:23:01] Lena: hi\n[12.03.26, 10:24] Lena: x": "Maria " +
			"Gonzalez, Lena",
		"12/11/26, 14:03 - Lena Gold: Hola\n12/11/26, 2:05 PM - ~ Ana: sí\n12/11/26, 14:06 - +34 612 345 678: x": "Lena " +
			"Gold, Ana",
		"Lena, [12.11.2026 14:03]\nHola\nAna María, [12 Nov 2026 at 14:04:22]:\nmira": "Lena, Ana María",
		"Lena Gold 14:03\nHola\nAna 14:05\nsí":                                        "Lena Gold, Ana",
		"2026年11月12日 下午2:03 李娜: 你好\n2026年11月12日 下午2:04 王伟：好":                          "李娜, 王伟",
		"10:22 - Jürgen: Guten Tag\n10:23 - Support-Team: Hallo":                      "Jürgen, Support-Team",
		"Lena: Hola\nMaria: hi\nLena: manda\nMaria: ok":                               "Lena, Maria",
		"[12.03.26, 10:22] You: Hola\n[12.03.26, 10:23] Lena: hi":                     "",
		"[12.03.26, 10:22] Yo: Hola\n[12.03.26, 10:23] Lena: hi":                      "",
		"Website: a.example\nWallet: b\nWallet: c":                                    "",
		"10:22 Ana María de la Luz: a\n10:23 Ana María de la Luz Paz: b\n10:24 a@b.example: c\n10:25 <b>: d\n" +
			"10:26 Ana María de la Luz: e": "Ana María de la Luz",
		"At 10:22 she wrote to me: send it.\nI sent it at 10:30.":                        "",
		"I met her on 2026-03-04 10:22 in a chat. Then: nothing.\nSee https://a.example": "",
		"": "",
	} {
		if got := strings.Join(Senders(text), ", "); got != names {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestWhoMadeTheCopyIsCalledMe, in each language, and then nobody is asked.
func TestWhoMadeTheCopyIsCalledMe(t *testing.T) {
	for _, me := range strings.Fields("You me yo Tú tu ich Du moi Vous eu Você 我 你") {
		want(t, me, len(Senders("10:22 Lena: a\n10:23 "+me+": b")), 0)
	}
}

// TestTheNameOfASenderIsTakenOut: whole and in parts, with and without its accents, but not what others are called, nor
// what is a part of a word or of an account.
func TestTheNameOfASenderIsTakenOut(t *testing.T) {
	text := strings.Join([]string{
		"[12.03.26, 10:22] María Gonzalez: Soy maria, me llamo María Gonzalez",
		"[12.03.26, 10:23] Lena Fox: Hola MARIA! Mariana gonzález-shop @maria_g maria@mail.example",
		"[12.03.26, 10:24] María Gonzalez: Fox?",
	}, "\n")
	want(t, "her own", withoutSender(text, "María Gonzalez", "Me", "[name]"), strings.Join([]string{
		"[12.03.26, 10:22] Me: Soy [name], me llamo [name]",
		"[12.03.26, 10:23] Lena Fox: Hola [name]! Mariana [name]-shop @maria_g maria@mail.example",
		"[12.03.26, 10:24] Me: Fox?",
	}, "\n"))
	want(t, "nobody is left to tell apart", len(Senders(withoutSender(text, "María Gonzalez", "Me", "[name]"))), 0)
	shared := "Ana Fox, [12.11.2026 14:03]\nAna or Fox?\nLena Fox, [12.11.2026 14:04]\nde la Fox"
	want(t, "shared", withoutSender(shared, "Ana Fox", "Me", "[name]"),
		"Me, [12.11.2026 14:03]\n[name] or Fox?\nLena Fox, [12.11.2026 14:04]\nde la Fox")
	parts := "10:22 Jan van der Berg dos Reis del Las Los Das Von Den: a"
	want(t, "parts of many names", withoutSender("van der dos del las los das von den, Jan, Reis", "Jan van der Berg "+
		"dos Reis del Las Los Das Von Den", "Me", "[name]"), "van der dos del las los das von den, [name], [name]")
	want(t, "too long for a name", len(Senders(parts+"\n"+parts)), 0)
	chinese := "10:22 李娜：你好\n10:23 王伟：李娜，转账"
	want(t, "Chinese", withoutSender(chinese, "李娜", "我", "[名字]"), "10:22 我：你好\n10:23 王伟：[名字]，转账")
	want(t, "in a title", withoutSender("Maria was cheated", "Maria", "Me", "[name]"), "[name] was cheated")
}

// withoutSender takes one of the senders of a text out of it.
func withoutSender(text, name, who, mark string) string {
	return WithoutSenders(text, []string{name}, Senders(text), who, mark)
}
