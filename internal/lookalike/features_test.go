package lookalike

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tocsin"
)

// TestTheFeaturesOfNamesAreThoseThatModelsLearnt compares the features of names with a file. If it fails, models that
// were trained before judge by other features than they learnt: raise featureVersion, and write the file anew with
// TOCSIN_GOLDEN=write.
func TestTheFeaturesOfNamesAreThoseThatModelsLearnt(t *testing.T) {
	titles := [families]string{"letters", "letters of subdomains", "words", "words and suffix", "ends", "suffix", "class",
		"shape", "brand", "lure"}
	var got strings.Builder
	fmt.Fprintf(&got, "version %d\n", featureVersion)
	brands := ShippedBrands()
	for _, text := range []string{"metamask-login.io", "uniswaap.org", "xn--unswap-q9a.org", "claim7.token.example.co.uk",
		"a.pages.dev", "www.gov.uk", strings.Repeat("long-", 9) + "name.sub-" + strings.Repeat("x", 50) + ".xyz",
		"a.b.c.d.e.f.example.com", "login.metamask.example", "metamask.io.secure.example", "1edger.com", "007.example",
		"claim-metamask-airdrop-2026.xyz", "wallet-uniswap-v3.pages.dev", "xn--e1afmkfd.xn--p1ai", "aaaaaaaa.top",
		"qzxjkvbwpq.com", "x.io", "secure--login.example", "support.metamask.io", "metamask.io"} {
		n, ok := parse(domain(text))
		if !ok {
			t.Fatal(text)
		}
		var f features
		f.extract(&n, brands, brands.find(&n))
		fmt.Fprintf(&got, "%s: %d\n", text, f.n)
		for k := range families {
			count, sum := 0, uint64(14695981039346656037)
			for i := range f.n {
				if f.kind[i] == k {
					count++
					sum = (sum ^ uint64(f.place[i])) * 1099511628211
				}
			}
			fmt.Fprintf(&got, "  %s: %d, %016x\n", titles[k], count, sum)
		}
	}
	golden(t, "testdata/features.txt", got.String())
}

// golden compares a text with a file, which TOCSIN_GOLDEN=write writes anew. Package tocsintest has the same for
// others; it imports this one.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("TOCSIN_GOLDEN") == "write" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v; it should be\n%s", file, err, got)
	}
}

func TestEveryBrandIsFoundAndItsDomainsAreItsOwn(t *testing.T) {
	brands := ShippedBrands()
	if brands.Len() < 400 {
		t.Errorf("%d brands", brands.Len())
	}
	for _, text := range brands.Domains() {
		if brands.Owner(domain(text)) == "" {
			t.Errorf("%s belongs to nobody", text)
		}
	}
	for _, n := range brands.names {
		l := brands.Find(domain(n.text + "-login.example"))
		if l == nil || l.Of != brands.main[n.brand] || l.Method != BrandLure || l.Sure() == (n.word || n.common) {
			t.Errorf("%s-login.example: %+v", n.text, l)
		}
	}
}

func TestBrandsOfTheOperatorAreAdded(t *testing.T) {
	brands, err := ReadBrands(strings.NewReader("# ours\n\nAcmeBank,~acme  acme-bank.example acme.example\n" +
		"metamask,metafox  second.example metamask.io\n"))
	if err != nil {
		t.Fatal(err)
	}
	if l := brands.Find(domain("acmebannk.com")); l == nil || l.Of != "acme-bank.example" || l.Method != Typo {
		t.Errorf("%+v", l)
	}
	if l := brands.Find(domain("acme.com")); l != nil {
		t.Errorf("a word alone: %+v", l)
	}
	if l := brands.Find(domain("metafox-login.com")); l == nil || l.Of != "metamask.io" ||
		brands.Owner(domain("www.second.example")) != "metamask.io" {
		t.Errorf("another name and another domain of a brand: %+v", l)
	}
	for _, wrong := range []string{"acme", "ac acme.example", "acme-bank acme.example", "acme localhost",
		"acme,metamask acme.example", "metamask,uniswap acme.example", "acme metamask.io", "login acme.example"} {
		if _, err := ReadBrands(strings.NewReader("\n" + wrong + "\n")); err == nil ||
			!strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// BenchmarkJudge measures everything that is done for one domain, from its text.
func BenchmarkJudge(b *testing.B) {
	d := NewDetector(ShippedBrands(), trained(b))
	names := []string{"metamask-login.io", "uniswaap.org", "example.com", "claim7.token.example.co.uk",
		"some-longer-name-of-a-site.pages.dev", "kaezax.com", "xn--unswap-q9a.org", "mail.google.com"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		domain, _ := tocsin.ParseDomain(names[i%len(names)])
		d.Judge(domain)
	}
}

// TestTheSuffixSaysRoughlyWhoSellsNames: names under some are far cheaper than under others.
func TestTheSuffixSaysRoughlyWhoSellsNames(t *testing.T) {
	for text, class := range map[string]uint64{
		"a.pages.dev": 1, "name.com": 2, "name.com.br": 6, "name.org": 3, "name.net": 3, "name.info": 3, "name.biz": 3,
		"name.edu": 4, "name.gov": 4, "name.int": 4, "name.io": 5, "name.ai": 5, "name.de": 6, "name.xn--p1ai": 7,
	} {
		n, ok := parse(domain(text))
		if got := suffixClass(&n); !ok || got != class {
			t.Errorf("%s: %d, want %d", text, got, class)
		}
	}
}
