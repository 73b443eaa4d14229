package lookalike

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"tocsin"
)

// FuzzReadModel reads the file of a model whose checksum is right.
func FuzzReadModel(f *testing.F) {
	m := &Model{Info: Info{FeatureVersion: featureVersion}, weights: make([]float32, 1<<width+1)}
	m.weights[3] = 1
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes()[:file.Len()-sha256.Size])
	d, fault := tocsin.ParseDomain("claim-airdrop.example.com")
	if fault != nil {
		f.Fatal(fault)
	}
	brands := ShippedBrands()
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		m, err := ReadModel(bytes.NewReader(append(body, sum[:]...)))
		if err == nil {
			NewDetector(brands, m).Judge(d)
		}
	})
}

// FuzzReadBrands reads the file of brands that an operator writes.
func FuzzReadBrands(f *testing.F) {
	f.Add("acmebank,acme-pay  acme.example acme-bank.example\n~word +owner  word.example\n# no line\n")
	f.Fuzz(func(t *testing.T, text string) {
		// [ReadBrands] reads those of the program first, which takes a thousand times as long.
		b := &Brands{owners: map[string]int32{}, whole: map[string]string{}, exact: map[string]int32{},
			looks: map[string][]int32{}, missing: map[uint32][]int32{}}
		if err := b.read(strings.NewReader(text)); err != nil && !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v names no line", text, err)
		}
	})
}
