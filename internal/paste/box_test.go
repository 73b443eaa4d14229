package paste

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

func TestTheBoxFindsWhatIsBesideSomethingElse(t *testing.T) {
	const (
		tron  = "TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre"
		phone = "phone:+447700900123"
		lena  = "name:@lena_trades88"
	)
	hash := transaction[2:]
	for _, c := range []struct {
		text, subjects, handles string
		aside                   bool
		kind                    Kind
	}{
		// A transaction hides nothing.
		{tron + " " + hash, tron, "", true, ""},
		{"tx " + hash + " " + tron, tron, "", true, ""},
		{"envié a " + tron + " hash " + hash, tron, "", true, ""},
		{"envié a " + tron + " hash:" + hash + ".", tron, "", true, ""},
		{tron + " https://tronscan.org/#/transaction/" + hash, tron, "", true, ""},
		{account + "\n" + transaction, account, "", true, ""},
		{hash + " @lena_trades88", "", lena, true, ChatName},
		{"tx " + hash + " " + strings.Replace(account, "F3E", "f3E", 1), "", "", true, Invalid},
		{hash, "", "", false, MaybeKey},
		{"tx " + hash, "", "", false, OnlyTransaction},
		{"https://tronscan.org/#/transaction/" + hash, "", "", false, OnlyTransaction},
		{"my key " + hash, "", "", false, Secret},
		{"private key " + hash + " " + tron, "", "", false, Secret},
		{strings.Repeat("legal winner thank ", 4) + tron + " " + hash, "", "", false, Secret},

		// Handles, also in a sentence.
		{"@lena_trades88 +44 7700 900123", "", phone + " " + lena, false, ChatName},
		{"@lena_trades88\n+44 7700 900123", "", phone + " " + lena, false, ChatName},
		{"Hola, me escribe @lena_trades88 desde +44 7700 900123, es de confianza?", "", phone + " " + lena, false, ChatName},
		{"por Telegram: lena_trades88 o WhatsApp: +44 7700 900123", "",
			"whatsapp:+447700900123 telegram:lena_trades88", false, NoAddress},
		{"@lena_trades88, telegram: lena_trades88", "", "telegram:lena_trades88", false, ChatName},
		{"lena@scam.example y t.me/lena_trades88", "scam.example", "email:lena@scam.example telegram:lena_trades88",
			false, ""},
		{"lena@gmail.com", "", "email:lena@gmail.com", false, OnlyHandle},
		{"lena@yahoo.com.mx, x@uni.edu", "", "email:lena@yahoo.com.mx email:x@uni.edu", false, OnlyHandle},
		{"name: Lena Gold", "", "name:Lena Gold", false, NoAddress},
		{"evil.example @lena_trades88 " + tron, "evil.example " + tron, lena, false, ""},
		{"evil.example/?for=lena@mail.example", "evil.example", "", false, ""},
		{"facebook scam", "", "", false, NoAddress},
		{"on 2026-11-23 I sent 4000 USDT", "", "", false, NoAddress},

		// A divided address is one.
		{tron[:12] + " " + tron[12:], tron, "", false, ""},
		{"mi amiga manda " + tron[:12] + "\n" + tron[12:] + " y evil.example", tron + " evil.example", "", false, ""},
		{"TBHT JqAy 4DhH hmT3 dNce JYNR z4Sd LofL re", tron, "", false, ""},
		{account[:20] + " " + account[20:], account, "", false, ""},
		{tron[:12] + " " + tron[13:], "", "", false, Piece},
		{tron[12:], "", "", false, Piece},
		{strings.ToLower(account[2:30]), "", "", false, Piece},
		{"CryptoKingTrading2024", "", "", false, NoAddress},
		{"growing gold investments", "", "", false, NoAddress},
	} {
		b := ReadBox(c.text)
		var subjects []string
		for _, s := range b.Subjects {
			subjects = append(subjects, s.Plain())
		}
		kind := Kind("")
		if b.Problem != nil {
			kind = b.Problem.Kind
		}
		want(t, c.text, []any{strings.Join(subjects, " "), strings.Join(b.Handles, " "), b.Aside, kind},
			[]any{c.subjects, c.handles, c.aside, c.kind})
	}
	if _, fault := tocsin.ParseSubject(account); fault != nil {
		t.Fatal(fmt.Sprint(fault))
	}
}
