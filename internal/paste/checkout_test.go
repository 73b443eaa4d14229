package paste

import (
	"strings"
	"testing"

	"tocsin"
)

func TestAPageToPayAtIsNamedWhole(t *testing.T) {
	for link, page := range map[string]string{
		"https://commerce.coinbase.com/checkout/0c7e":  "commerce.coinbase.com/checkout/0c7e",
		"buy.stripe.com/4gw5nP":                        "buy.stripe.com/4gw5nP",
		"hxxps://paypal[.]me/johnsmith":                "paypal.me/johnsmith",
		"https://www.paypal.com/paypalme/johnsmith":    "paypal.com/paypalme/johnsmith",
		"www.paypal.me/johnsmith":                      "paypal.me/johnsmith",
		"https://nowpayments.io/payment/?iid=4522":     "nowpayments.io/payment/?iid=4522",
		"https://cash.app/$john":                       "cash.app/$john",
		"https://nowpayments.io/payments-for-business": "",
		"https://paypal.me/":                           "",
		"https://paypal.me":                            "",
		"https://cash.app/help":                        "",
		"https://evil.example/paypal.me/johnsmith":     "",
		"pay me at paypal.me/johnsmith":                "",
	} {
		want(t, link, Checkout(link), page)
	}
	box := ReadBox("https://nowpayments.io/payment/?iid=4522")
	want(t, "by itself", []any{len(box.Subjects), box.Problem.Kind, box.Problem.Text},
		[]any{0, CheckoutPage, "nowpayments.io/payment/?iid=4522"})
	for _, text := range []string{"https://buy.stripe.com/4gw5nP", "https://cash.app/$john"} {
		want(t, "in a report: "+text, Read(Things, text).Problems[0].Kind, CheckoutPage)
	}
	for host, paths := range checkouts {
		d, fault := tocsin.ParseDomain(host)
		whole := paths[0] == ""
		if fault != nil || d.String() != host || d.Shared() != whole {
			t.Errorf("%s: shared %v, %v", host, d.Shared(), fault)
		}
		for _, path := range paths {
			if path != strings.ToLower(path) {
				t.Errorf("%s%s is never met", host, path)
			}
		}
	}
}
