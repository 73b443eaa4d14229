package picture

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// artist is one with the bell of the site.
func artist(t *testing.T) *Artist {
	t.Helper()
	logo, err := os.ReadFile("../web/assets/bell.svg")
	if err != nil {
		t.Fatal(err)
	}
	var bell []string
	for _, found := range regexp.MustCompile(` d="([^"]+)"`).FindAllSubmatch(logo, -1) {
		bell = append(bell, string(found[1]))
	}
	a, err := New(bell...)
	if err != nil || len(bell) == 0 {
		t.Fatal(err, bell)
	}
	return a
}

var aCard = Card{Class: "critical", Arcs: 4, Score: 100, Head: "Critical", Note: "score 100 of 100",
	Title: "Do not send anything to this address.", Subject: "0x098B716B…3E2f96",
	Foot: [2]string{"tocsin.example", "22 Nov 2026"}}

// TestACardIsASmallPNGOfItsSize: of each level, and with texts of any length.
func TestACardIsASmallPNGOfItsSize(t *testing.T) {
	a := artist(t)
	seen := map[string]string{}
	for class := range styles {
		for about, text := range map[string]string{"usual": aCard.Title, "long": strings.Repeat("word ", 200),
			"of one word": strings.Repeat("Ж", 500), "none": ""} {
			c := aCard
			c.Class, c.Title = class, text
			if about != "usual" {
				c.Head, c.Subject, c.Foot[0] = text, text, text
			}
			drawn := a.Card(c)
			is, err := png.DecodeConfig(bytes.NewReader(drawn))
			if err != nil || is.Width != Width || is.Height != Height || len(drawn) > 100_000 {
				t.Errorf("%q, %s: %v, %d bytes, %v", class, about, is, len(drawn), err)
			}
			if other, same := seen[string(drawn)]; same {
				t.Errorf("%q, %s looks like %s", class, about, other)
			}
			seen[string(drawn)] = class + ", " + about
		}
	}
	if !bytes.Equal(a.Card(aCard), a.Card(aCard)) {
		t.Error("the same card looks different")
	}
}

// TestEachLevelFillsItsArcs: each number of them is another picture.
func TestEachLevelFillsItsArcs(t *testing.T) {
	a, seen := artist(t), map[string]int{}
	for arcs := 1; arcs < len(ticks); arcs++ {
		c := aCard
		c.Arcs = arcs
		drawn := string(a.Card(c))
		if other, same := seen[drawn]; same {
			t.Errorf("%d arcs look like %d", arcs, other)
		}
		seen[drawn] = arcs
	}
}

// TestTextStaysInsideItsLine: it is cut, at a word if it can be.
func TestTextStaysInsideItsLine(t *testing.T) {
	font := typed{artist(t).fonts.bold, 40}
	for _, text := range []string{"short", strings.Repeat("word ", 99), strings.Repeat("W", 999)} {
		lines := font.lines(text, 300, 3)
		for _, line := range lines {
			if font.width(line) > 300 {
				t.Errorf("%q is too wide", line)
			}
		}
		if whole := strings.Join(lines, " ") == text; len(lines) > 3 || whole == strings.HasSuffix(lines[len(lines)-1], "…") {
			t.Errorf("%q: %q", text, lines)
		}
	}
}

// TestLettersThatTheFontLacksAreKnown, so that nobody is shown half a title.
func TestLettersThatTheFontLacksAreKnown(t *testing.T) {
	a := artist(t)
	for text, want := range map[string]bool{"Déjà vu, 12 €": true, "Мошенники": true, "a 🔔 b": true,
		"سرقة": false, "骗局": false, "fake 骗": false, "हाँ": false} {
		if a.Has(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestWhatIsNoPathIsRefused.
func TestWhatIsNoPathIsRefused(t *testing.T) {
	for _, d := range []string{"M", "M1", "1 2", "M1 2Q1 2 3 4", "M1 2zz1", "M1 2l..3", "M1 2a1 1 0 2 5 1 1"} {
		if p, err := ParsePath(d); err == nil {
			t.Errorf("%q: %v", d, p)
		}
	}
	for _, d := range []string{"M1,2H4V6", "M 1 2\nH 4, V 6 ", "M1 2 4 2 4 6"} {
		p, err := ParsePath(d)
		if low, high := p.bounds(); err != nil || low != (point{1, 2}) || high != (point{4, 6}) {
			t.Errorf("%q: %v %v %v", d, low, high, err)
		}
	}
	p, err := ParsePath("M1 2h3v4l-3-.5.5.5z")
	if low, high := p.bounds(); err != nil || low != (point{1, 2}) || high != (point{4, 6}) || len(p.steps) != 6 {
		t.Errorf("%v %v %v %v", p, low, high, err)
	}
}

// TestAnIconReachesItsEdgesOnlyIfItShould: a phone cuts such a one to its shape.
func TestAnIconReachesItsEdgesOnlyIfItShould(t *testing.T) {
	a := artist(t)
	for _, full := range []bool{true, false} {
		icon, err := png.Decode(bytes.NewReader(a.Icon(192, full)))
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, corner := icon.At(0, 0).RGBA()
		_, _, _, middle := icon.At(96, 110).RGBA()
		if icon.Bounds().Dx() != 192 || (corner > 0) != full || middle == 0 {
			t.Errorf("full %v: %v, corner %d, middle %d", full, icon.Bounds(), corner, middle)
		}
	}
	ico := a.Favicon()
	offset := binary.LittleEndian.Uint32(ico[18:])
	is, err := png.DecodeConfig(bytes.NewReader(ico[offset:]))
	if err != nil || is.Width != int(ico[6]) || int(offset)+int(binary.LittleEndian.Uint32(ico[14:])) != len(ico) {
		t.Errorf("% x: %v %v", ico[:22], is, err)
	}
}

func BenchmarkCard(b *testing.B) {
	a, err := New("M1 2h3v4z")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a.Card(aCard)
	}
}

// TestTheColoursAreThoseOfTheSite, in its light theme: they are written in the stylesheet as well.
func TestTheColoursAreThoseOfTheSite(t *testing.T) {
	css, err := os.ReadFile("../web/assets/tocsin.css")
	if err != nil {
		t.Fatal(err)
	}
	site := map[string]color.RGBA{}
	variable := regexp.MustCompile(`--([\w-]+): +var\(--L, #([0-9a-f]{6})\)`)
	for _, found := range variable.FindAllStringSubmatch(string(css), -1) {
		hex, _ := strconv.ParseUint(found[2], 16, 32)
		site[found[1]] = rgb(uint32(hex))
	}
	plain := style{ground: site["sheet"], ink: site["ink"], soft: site["ink-2"]}
	of := func(level, ground string) style {
		s := plain
		s.level, s.ground = site[level], site[ground]
		return s
	}
	solid := style{ground: site["alarm"], ink: rgb(0xffffff), soft: styles["critical"].soft, level: rgb(0xffffff)}
	for class, want := range map[string]style{"": of("accent", "sheet"), "clean": of("clean", "sheet"),
		"low": of("low", "sheet"), "medium": of("medium", "medium-t"), "high": of("high", "high-t"), "critical": solid} {
		got := styles[class]
		if got.border, got.dashed = 0, false; got != want {
			t.Errorf("%q: %v, on the site %v", class, got, want)
		}
	}
	if bronze != site["bronze"] || patina != site["accent"] {
		t.Errorf("bronze is %v, patina is %v", bronze, patina)
	}
}

// TestALineHasRoomForItsSpaces: words are cut only where they do not fit, spaces included.
func TestALineHasRoomForItsSpaces(t *testing.T) {
	font := typed{artist(t).fonts.bold, 40}
	width := font.width("stolen") + font.width("money") + font.width(" ")/2
	if lines := font.lines("stolen money", width, 3); !slices.Equal(lines, []string{"stolen", "money"}) {
		t.Errorf("%q", lines)
	}
}
