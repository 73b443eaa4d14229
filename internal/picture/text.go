package picture

import (
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts are the Go fonts, which may be used and passed on like Go itself. They have Latin, Greek and Cyrillic letters.
type fonts struct{ regular, bold, mono *sfnt.Font }

func readFonts() (f fonts, err error) {
	for _, one := range []struct {
		into **sfnt.Font
		data []byte
	}{{&f.regular, goregular.TTF}, {&f.bold, gobold.TTF}, {&f.mono, gomono.TTF}} {
		if *one.into, err = sfnt.Parse(one.data); err != nil {
			return f, err
		}
	}
	return f, nil
}

// typed is text in a font of a size in pixels.
type typed struct {
	font *sfnt.Font
	size float64
}

// glyphs calls do with each glyph of a text and where it begins, and returns the width of all.
func (t typed) glyphs(text string, do func(b *sfnt.Buffer, g sfnt.GlyphIndex, x float64)) (width float64) {
	var b sfnt.Buffer
	em := fixed.Int26_6(t.size * 64)
	for _, r := range text {
		g, err := t.font.GlyphIndex(&b, r)
		if err != nil || g == 0 {
			continue
		}
		if do != nil {
			do(&b, g, width)
		}
		if advance, err := t.font.GlyphAdvance(&b, g, em, font.HintingNone); err == nil {
			width += float64(advance) / 64
		}
	}
	return width
}

func (t typed) width(text string) float64 { return t.glyphs(text, nil) }

// at returns the outline of a line of text, whose baseline begins at a point.
func (t typed) at(from point, text string) (p Path) {
	em := fixed.Int26_6(t.size * 64)
	t.glyphs(text, func(b *sfnt.Buffer, g sfnt.GlyphIndex, x float64) {
		outline, err := t.font.LoadGlyph(b, g, em, nil)
		if err != nil {
			return
		}
		at := func(a fixed.Point26_6) point {
			return point{from.x + x + float64(a.X)/64, from.y + float64(a.Y)/64}
		}
		for _, s := range outline {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				p.move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				p.line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				p.quad(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				p.cube(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
	})
	return p
}

// cut returns the beginning of a text that fits into a width, with an ellipsis if it is not all.
func (t typed) cut(text string, width float64) string {
	var ends []float64 // of the letters
	for _, r := range text {
		ends = append(ends, t.width(string(r)))
		if n := len(ends); n > 1 {
			ends[n-1] += ends[n-2]
		}
	}
	n := len(ends)
	if n == 0 || ends[n-1] <= width {
		return text
	}
	width -= t.width("…")
	for n > 0 && ends[n-1] > width {
		n--
	}
	return strings.TrimRight(string([]rune(text)[:n]), " ") + "…"
}

// lines breaks a text between words into at most so many lines of a width. What does not fit is cut.
func (t typed) lines(text string, width float64, most int) (lines []string) {
	words, space := strings.Fields(text), t.width(" ")
	widths := make([]float64, len(words))
	for i, word := range words {
		widths[i] = t.width(word)
	}
	for len(words) > 0 {
		n, used := 1, widths[0]
		for n < len(words) && used+space+widths[n] <= width {
			used += space + widths[n]
			n++
		}
		if len(lines) == most-1 {
			n = len(words)
		}
		lines = append(lines, t.cut(strings.Join(words[:n], " "), width))
		words, widths = words[n:], widths[n:]
	}
	return lines
}

// has reports whether the font has every letter and digit of a text.
func (t typed) has(text string) bool {
	var b sfnt.Buffer
	for _, r := range text {
		g, err := t.font.GlyphIndex(&b, r)
		if (err != nil || g == 0) && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) {
			return false
		}
	}
	return true
}
