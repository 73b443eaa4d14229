package paste

import (
	"fmt"
	"strings"
	"testing"
)

// chat is a conversation as a messenger exports it, with everything that people find in one.
const chat = `[12/11/26, 14:03:22] Lena Gold: Hola guapo, soy Lena de Instagram
[12/11/26, 14:05] Maria: Hola! Mi WhatsApp es +34 612 345 678
[12/11/26, 14:06] Lena Gold: escribe a mi Telegram @lena_trades88 o al +44 7700 900123
[13/11/26, 9:10] Lena Gold: entra en https://lena-invest.vip/r?id=7 y manda 3.400 USDT a
TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre
[13/11/26, 9:41] Maria: mandado.Luego te escribo, lo compre en binance.com`

// TestAConversationIsAStory, and so is what is told. A list of things with labels beside them is none.
func TestAConversationIsAStory(t *testing.T) {
	for text, story := range map[string]bool{
		chat: true,
		"Lena, [12.11.2026 14:03]\nHola\nLena, [12.11.2026 14:04]\nmira evil.example":     true,
		"Hola\nquien eres?\nsoy Lena del chat\nmira esta web para invertir\nevil.example": true,
		"He told me to send everything to evil.example and then he was gone":              true,
		"她让我把钱转到 evil.example，说可以赚很多钱，后来就联系不上了":                                           true,

		account + "\nevil.example\n@lena_trades88":                           false,
		"Main wallet: " + account + " (USDT)\nSecond wallet: " + tron:        false,
		"I met him on evil.example.":                                         false,
		"WhatsApp: +44 7700 900123, tg lena_trades88":                        false,
		"Lena Gold\nGrowing Gold Ltd":                                        false,
		"name: Lena Fischer of Growing Gold":                                 false,
		strings.Repeat("a.example ", 100) + strings.Repeat(account+"\n", 20): false,
		"": false,
	} {
		if got := IsStory(text); got != story {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestWhatAStoryNamesIsFound, however long it is: but not what its writer calls their own, and no words with a point
// between them.
func TestWhatAStoryNamesIsFound(t *testing.T) {
	var named []string
	for _, one := range InStory(chat) {
		named = append(named, one.Subject.Plain()+one.Handle)
	}
	want(t, "a chat", fmt.Sprint(named), fmt.Sprint([]string{"lena-invest.vip", "TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre",
		"binance.com", "whatsapp:+34612345678", "phone:+447700900123", "telegram:lena_trades88"}))
	told := InStory("Entre en lena-invest.vip y le di mi WhatsApp, mi numero es +34 612 345 678")
	want(t, "told", len(told), 1)
	long := strings.Repeat("Ella escribe todos los dias.\n", 200) + "Entra en lena-invest.vip"
	want(t, "at the end", len(InStory(long)), 1)
	want(t, "a long word", len(InStory(strings.Repeat("é", 3000)+" lena-invest.vip")), 1)
}
