package tocsin

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
)

func FuzzParseAddress(f *testing.F) {
	f.Add("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	f.Fuzz(func(t *testing.T, in string) {
		a, err := ParseAddress(in)
		if err != nil {
			return
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Errorf("%q gives %v, which gives %v, %v", in, a, again, err)
		}
	})
}

// FuzzParseAccount reads accounts of all chains. What is read is read again as the same.
func FuzzParseAccount(f *testing.F) {
	for _, s := range []string{"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"addr1vpu5vlrf4xkxv2qpwngf6cjhtw542ayty80v8dyr49rf5eg0yu80w", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		account, err := ParseAccount(in)
		if err != nil {
			return
		}
		if again, err := ParseSubject(account.Value); err != nil || again != account {
			t.Errorf("%q gives %v, which gives %v, %v", in, account, again, err)
		}
	})
}

func FuzzParseDomain(f *testing.F) {
	for _, s := range []string{"https://WWW.Evil.com:80/x", "пример.рф", "a.b.pages.dev", "xn--a.com", "ｅ.com",
		"www.www.evil.com", "hxxp://a[.]b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		d, err := ParseDomain(in)
		if err != nil {
			return
		}
		again, err := ParseDomain(d.String())
		if err != nil || again.String() != d.String() || again.Registrable() != d.Registrable() {
			t.Errorf("%q gives %q, which gives %q, %v", in, d, again, err)
		}
		names := d.SelfAndParents()
		if last := names[len(names)-1].Value; d.Registrable() != "" && last != d.Registrable() {
			t.Errorf("%q is covered up to %q, not %q", d, last, d.Registrable())
		}
	})
}

func FuzzParseQuery(f *testing.F) {
	f.Add(`fake "claim site" drain*`)
	f.Fuzz(func(t *testing.T, in string) {
		terms, err := ParseQuery(in)
		if err == nil && (len(terms) == 0 || len(terms) > MaxWords) {
			t.Errorf("%q gives %v", in, terms)
		}
	})
}

func FuzzDraftParse(f *testing.F) {
	f.Add(
		[]byte(
			`{"crimeType":"phishing","title":"a","description":"b","reportedDomains":["https://evil.com/x"],` +
				`"amountLost":1.5,"incidentDate":"2026-01-31"}`,
		),
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		var d Draft
		if json.Unmarshal(body, &d) != nil {
			return
		}
		once, err := d.Parse(now)
		if err != nil {
			return
		}
		twice, err := once.Parse(now)
		a, _ := json.Marshal(once)
		b, _ := json.Marshal(twice)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s\nbecomes %s, %v", a, b, err)
		}
	})
}

func BenchmarkAssess(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	ev := anyEvidence(r, true, true, Risk)
	for b.Loop() {
		Assess(ev, now)
	}
}
