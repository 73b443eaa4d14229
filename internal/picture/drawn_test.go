package picture

import (
	"bytes"
	"encoding/hex"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPicturesLookAsTheyDid compares how bright each square of cards and icons is with a file; processors round
// otherwise, so a little more or less is the same. To write the file anew: TOCSIN_GOLDEN=write.
func TestPicturesLookAsTheyDid(t *testing.T) {
	const file, square, tolerance = "testdata/drawn.txt", 20, 3
	a := artist(t)
	pictures := map[string][]byte{"icon": a.Icon(192, false), "full icon": a.Icon(180, true)}
	for class, score := range map[string]int{"clean": 0, "low": 12, "medium": 37, "high": 65, "critical": 100, "": 50} {
		c := aCard
		c.Class, c.Score, c.Arcs = class, score, score/20
		if class == "medium" { // three lines, and what is too long
			c.Title = strings.Repeat("Several reports of 2026 warn of this site. ", 4)
			c.Foot[0], c.Head = strings.Repeat("tocsin.example ", 9), "Medium"
		}
		if class == "" {
			c.Note, c.Subject = "", ""
		}
		pictures["card "+class] = a.Card(c)
	}
	var names, lines []string
	for name := range pictures {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		lines = append(lines, name)
		drawn, err := png.Decode(bytes.NewReader(pictures[name]))
		if err != nil {
			t.Fatal(err)
		}
		size := drawn.Bounds()
		for y := 0; y < size.Dy(); y += square {
			var row []byte
			for x := 0; x < size.Dx(); x += square {
				sum, n := 0, 0
				for at := range square * square {
					if i, j := x+at%square, y+at/square; i < size.Dx() && j < size.Dy() {
						r, g, b, alpha := drawn.At(i, j).RGBA()
						sum, n = sum+int(r>>8+g>>8+b>>8+alpha>>8)/4, n+1
					}
				}
				row = append(row, byte(sum/n))
			}
			lines = append(lines, hex.EncodeToString(row))
		}
	}
	if os.Getenv("TOCSIN_GOLDEN") == "write" {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(want) != len(lines) {
		t.Fatalf("%d lines instead of %d", len(lines), len(want))
	}
	name := ""
	for i, line := range lines {
		is, _ := hex.DecodeString(line)
		was, err := hex.DecodeString(want[i])
		if err != nil || len(is) != len(was) {
			name = line
			continue
		}
		for x := range is {
			if d := int(is[x]) - int(was[x]); d > tolerance || d < -tolerance {
				t.Fatalf("%s: line %d of %s, square %d: %d instead of %d", name, i+1, file, x, is[x], was[x])
			}
		}
	}
}
