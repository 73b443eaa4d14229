package paste

import (
	"math/big"
	"slices"
	"strings"
	"testing"
)

// TestEveryWordForAnAccountMakesItsNumberOneOfABank, by itself and with what people write behind it.
func TestEveryWordForAnAccountMakesItsNumberOneOfABank(t *testing.T) {
	words := strings.Split("a/c acct acc account iban aba bsb ifsc cbu cvu clabe blz rib konto kontonummer kto "+
		"bankleitzahl cuenta tarjeta conta agência agencia cartão cartao compte carte card routing sortcode A/C "+
		"银行账号 银行账户 银行帐号 银行帐户 银行卡 银行卡号 收款账号 收款帐号 卡号", " ")
	words = append(words, "sort code", "s/c", "ac no", "ac number")
	for _, more := range strings.Split("bancaria,bancária,bancaire,corrente,corriente,no,nº,n°,nr,num,number,número,"+
		"numero,nummer,code,is,es,ist,é,est,bancaria número es,no.,:,：,=,#,-", ",") {
		words = append(words, "account "+more)
	}
	for _, word := range words {
		text := word + " 123456"
		if rest, found := withoutBankNumbers(text); rest != " " || !slices.Equal(found, []string{text}) {
			t.Errorf("%q: %q, %q", text, rest, found)
		}
	}
	for _, service := range strings.Split("whatsapp,whats app,telegram,tg,phone,tel,mobile,instagram,insta,ig,"+
		"facebook,fb,messenger,discord,twitter,x,qq,wechat,wallet", ",") {
		text := service + " account 123456"
		if rest, found := withoutBankNumbers(text); rest != text || found != nil {
			t.Errorf("%q: %q, %q", text, rest, found)
		}
	}
	for text, is := range map[string]bool{
		"account 12345": false, "account 1" + strings.Repeat("2", 22): true, "account 1" + strings.Repeat("2", 23): false,
		"account 1 2-3 4xX": true, "account DE123456": true, "anaccount 123456": false,
		"wallet" + strings.Repeat(" ", maxBefore-6) + "account 123456": false,
		"wallet" + strings.Repeat(" ", maxBefore-5) + "account 123456": true,
		"wallet\naccount 123456": true,
		"account 2026-11-23":     false, "account 2026-1-3": false, "account 23-11-2026": false, "account 3-1-2026": false,
	} {
		if _, found := withoutBankNumbers(text); (len(found) == 1) != is {
			t.Errorf("%q: %q", text, found)
		}
	}
}

func TestEveryWayToNameABankOrAPayeeIsKnown(t *testing.T) {
	for text, left := range map[string]string{
		"IFSC SBIN0ABC123": " ", "IFSC code: sbin0abc123": " ", "SBIN0123456": " ", "SBIN0ABC123": "SBIN0ABC123",
		"sbin0123456":  "sbin0123456",
		"BIC HDFCINBB": " ", "swift HDFCINBBXXX": " ", "SWIFT code HDFCINBB": " ", "swift/bic: HDFCINBB": " ",
		"BIC SWIFT=HDFCINBB": " ", "HDFCINBB": "HDFCINBB", "swift hdfcinbb": "swift hdfcinbb",
		"upi://pay?pa=a@okhdfc&am=5": " ", "upi lena@ybl": " ", "UPI id: lena@ybl": " ", "vpa lena@ybl": " ",
		"bhim lena@ybl": " ", "gpay lena@ybl": " ", "g pay lena@ybl": " ", "googlepay lena@ybl": " ",
		"google pay id lena@ybl": " ", "phonepe lena@ybl": " ", "phone pe lena@ybl": " ", "paytm-l9@paytm": " ",
		"upi l@ybl": "upi l@ybl", "upi lena@ybl.com": "upi lena@ybl.com", "upi lena@ybl@x": "upi lena@ybl@x",
		"upi lena@ybl. And": " . And", "lena@ybl": "lena@ybl",
		"pix: 123e4567-e89b-12d3-a456-426614174000": " ", "123e4567-e89b-12d3-a456-426614174000": "123e4567-e89b-12d3-" +
			"a456-426614174000",
		"032180000118359719": " ", "032180000118359718": "032180000118359718", "4111 1111-1111 1111 z": "  z",
		"+4111111111111111": "+4111111111111111",
		"a 4111111111111111 b DE89370400440532013000 c 378282246310005 d": "a   b   c   d",
		"dE89370400440532013000": "dE89370400440532013000", // letters of both cases: an address, perhaps
	} {
		rest, found := withoutBankNumbers(text)
		want(t, text, []any{rest, len(found) > 0}, []any{left, left != text})
	}
}

// TestTheCheckDigitsOfAnIBANAreThoseOfTheStandard: with what ISO 13616 allows for its length, by another arithmetic.
func TestTheCheckDigitsOfAnIBANAreThoseOfTheStandard(t *testing.T) {
	for _, iban := range []string{"NO9386011117947", "MT84MALT011000012345MTLCAST001S", "GB82WEST12345698765432"} {
		want(t, iban, []bool{isIBAN(iban), isIBAN(iban[:2] + "00" + iban[4:])}, []bool{true, false})
	}
	for length := 14; length <= 35; length++ {
		body := strings.Repeat("A1Z0", 9)[:length-4]
		var digits strings.Builder
		for _, c := range body + "XY00" {
			digits.WriteString(big.NewInt(int64(strings.IndexRune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", c))).String())
		}
		n, _ := new(big.Int).SetString(digits.String(), 10)
		check := 98 - int(n.Mod(n, big.NewInt(97)).Int64())
		iban := "XY" + string(rune('0'+check/10)) + string(rune('0'+check%10)) + body
		if is := isIBAN(iban); is != (length >= 15 && length <= 34) {
			t.Errorf("%s, of %d characters: %t", iban, length, is)
		}
	}
}
