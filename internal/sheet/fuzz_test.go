package sheet

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// FuzzReader reads tables that people upload: each row once, in its order, perhaps with a line for each of its columns.
func FuzzReader(f *testing.F) {
	f.Add("address;amount\n0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed;1\n\nevil.example;\"a;b\"\n")
	f.Add("from,to\n0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed,TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t\n")
	f.Add("\xff\xfee\x00v\x00i\x00l\x00.\x00c\x00o\x00m\x00")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader(strings.NewReader(text), Options{})
		for last := 0; ; {
			l, err := r.Read()
			if err != nil {
				if !errors.Is(err, io.EOF) && l.Number > 0 {
					t.Errorf("%q: %v after line %d", text, err, l.Number)
				}
				break
			}
			if l.Number < last || l.Again != (l.Number == last) {
				t.Fatalf("%q: line %d after line %d", text, l.Number, last)
			}
			last = l.Number
		}
		if n := len(Read(text, 10, Options{}).Lines); n > 10 {
			t.Errorf("%q: %d lines", text, n)
		}
	})
}
