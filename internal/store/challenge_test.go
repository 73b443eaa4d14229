package store

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"
)

func TestASealedNonceIsGoodOnce(t *testing.T) {
	all, clock := handles(t, 1)
	f := all[0]
	const life = 5 * time.Minute
	issue := func() string {
		nonce, at, err := f.SealedNonce(t.Context())
		if err != nil || len(nonce) != 32 || at.Std().After(f.Now().Std()) {
			t.Fatalf("%q at %v: %v", nonce, at, err)
		}
		return nonce
	}
	use := func(about, nonce string, want bool) {
		t.Helper()
		got, err := f.UseSealedNonce(t.Context(), nonce, life)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", about, got, err)
		}
	}
	first := issue()
	use("fresh", first, true)
	use("again", first, false)
	upper := []byte(first)
	for i, c := range upper {
		if c >= 'a' {
			upper[i] = c - ' '
		}
	}
	use("again, in capitals", string(upper), false)
	for i := range 16 {
		forged, _ := hex.DecodeString(issue())
		forged[i] ^= 1
		use(fmt.Sprint("forged at ", i), hex.EncodeToString(forged), false)
	}
	issued, _, err := f.NewNonce(t.Context(), life)
	if err != nil {
		t.Fatal(err)
	}
	use("another kind of nonce", issued, false)
	for _, text := range []string{"", "x", first[:30], first + "00"} {
		use(text, text, false)
	}
	late, lost := issue(), issue()
	clock.sleep(life - time.Second)
	use("at the last moment", late, true)
	clock.sleep(time.Second)
	use("too late", lost, false)
	use("used and too late", late, false)

	clock.sleep(24*time.Hour - time.Duration(f.Now().Std().Unix()%86400)*time.Second - time.Second)
	across := issue()
	clock.sleep(2 * time.Second)
	use("issued on the day before", across, true)
}

func TestANonceThatIsNotUsedWritesNothing(t *testing.T) {
	all, _ := handles(t, 1)
	rows := func() (n int) {
		t.Helper()
		err := all[0].read(t.Context(), primary, func(s *conn) error {
			return s.row(t.Context(), "SELECT count(*) FROM nonce", nil, &n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	nonce := ""
	for range 1000 {
		var err error
		if nonce, _, err = all[0].SealedNonce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "issued", rows(), 0)
	if _, err := all[0].UseSealedNonce(t.Context(), nonce, time.Minute); err != nil {
		t.Fatal(err)
	}
	equal(t, "used", rows(), 1)
}
