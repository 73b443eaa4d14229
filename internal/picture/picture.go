// Package picture draws what a page cannot show elsewhere: the card that a chat shows beside a link, and the icons of
// the site. A picture depends on its input alone, and draws text of strangers as it is: as shapes, in one colour.
package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"strings"
)

// The size of a card, in pixels: what Open Graph's readers show whole.
const (
	Width  = 1200
	Height = 630
)

// Artist draws. It is safe for concurrent use.
type Artist struct {
	fonts  fonts
	bell   Path // in the box of 32 × 32
	hollow Path // the bell without its clapper
	marks  map[string]Path
}

// New returns an artist. The bell is that of the site, as the paths of an SVG of 32 × 32, whose last
// shape is its clapper.
func New(bell ...string) (*Artist, error) {
	a := &Artist{marks: map[string]Path{}}
	var err error
	if a.fonts, err = readFonts(); err != nil {
		return nil, err
	}
	for _, d := range bell {
		p, err := ParsePath(d)
		if err != nil {
			return nil, err
		}
		a.bell.add(p, 1, 0, point{})
	}
	for i, s := range a.bell.steps {
		if s.move {
			a.hollow.steps = a.bell.steps[:i]
		}
	}
	for class, d := range marks {
		if a.marks[class], err = ParsePath(d); err != nil {
			return nil, fmt.Errorf("the mark of %s: %w", class, err)
		}
	}
	return a, nil
}

// marks are the shapes of the levels (docs/site.md), in a box of 24 × 24. A hole winds the other way.
var marks = map[string]string{
	"clean": "M2 12a10 10 0 0 1 20 0a10 10 0 0 1-20 0zM4 12a8 8 0 0 0 16 0a8 8 0 0 0-16 0z" +
		"M8.5 11h7a1 1 0 0 1 0 2h-7a1 1 0 0 1 0-2z",
	"low": "M6.5 3h11a3.5 3.5 0 0 1 3.5 3.5v11a3.5 3.5 0 0 1-3.5 3.5h-11a3.5 3.5 0 0 1-3.5-3.5v-11" +
		"a3.5 3.5 0 0 1 3.5-3.5z" +
		"M6.5 5a1.5 1.5 0 0 0-1.5 1.5v11a1.5 1.5 0 0 0 1.5 1.5h11a1.5 1.5 0 0 0 1.5-1.5v-11a1.5 1.5 0 0 0-1.5-1.5z" +
		"M9.8 12a2.2 2.2 0 0 1 4.4 0a2.2 2.2 0 0 1-4.4 0z",
	"medium":   "M12 1.8 23 21h-22zM12 5.8 4.4 19h15.2zM11 9.8h2v4.6h-2zM11 15.8h2v2h-2z",
	"high":     "M12 .8 23.2 12 12 23.2.8 12zM10.8 6.5l.3 7.5h1.8l.3-7.5zM10.8 15.8v2.2h2.4v-2.2z",
	"heed":     "M2 12a10 10 0 0 1 20 0a10 10 0 0 1-20 0zM10.7 6.5l.4 7.5h1.8l.4-7.5zM10.7 15.8v2.4h2.6v-2.4z",
	"critical": "M7.8 2h8.4L22 7.8v8.4L16.2 22H7.8L2 16.2V7.8zM6.5 10.3v3.4h11v-3.4z",
}

// Card is what a chat shows beside a link.
type Card struct {
	Class   string    // of the level: clean, low, medium, high or critical, or known or heed; "" for none
	Arcs    int       // of the gauge that are drawn in full, up to 4
	Score   int       // to which the clapper has swung
	Head    string    // beside the mark
	Note    string    // behind it; "" for none
	Title   string    // a sentence, of at most three lines
	Subject string    // in letters of one width; "" for none
	Foot    [2]string // left and right
}

// style is how the cards of a level look: the louder the alarm, the more ink.
type style struct {
	ground, ink, soft, level color.RGBA
	border                   float64 // in pixels
	dashed                   bool    // the border
}

// frame are the parts of the border of a card. Each is filled by itself: together they would span the whole of it.
func (st style) frame() (parts []Path) {
	w := st.border
	box := func(x, y, w, h float64) {
		var p Path
		p.box(x, y, w, h)
		parts = append(parts, p)
	}
	if w == 0 {
		return nil
	}
	if !st.dashed {
		box(0, 0, Width, w)
		box(0, Height-w, Width, w)
		box(0, w, w, Height-2*w)
		box(Width-w, w, w, Height-2*w)
		return parts
	}
	const inset, dash = 22, 18
	for x := inset; x+dash <= Width-inset; x += 2 * dash {
		box(float64(x), inset, dash, w)
		box(float64(x), Height-inset-w, dash, w)
	}
	for y := inset + dash; y+dash <= Height-inset; y += 2 * dash {
		box(inset, float64(y), w, dash)
		box(Width-inset-w, float64(y), w, dash)
	}
	return parts
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// styles are those of the light theme of the site (tocsin.css).
var styles = map[string]style{
	"": {ground: rgb(0xffffff), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0x0a5f58)},
	"clean": {ground: rgb(0xffffff), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0x53615c),
		border: 3, dashed: true},
	"known":    {ground: rgb(0xffffff), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0x53615c), border: 3},
	"heed":     {ground: rgb(0xffffff), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0x13201d), border: 9},
	"low":      {ground: rgb(0xffffff), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0x2a5a82), border: 4},
	"medium":   {ground: rgb(0xfaf0d4), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0x775600)},
	"high":     {ground: rgb(0xfdede1), ink: rgb(0x13201d), soft: rgb(0x43514d), level: rgb(0xad3f08), border: 14},
	"critical": {ground: rgb(0xa8151f), ink: rgb(0xffffff), soft: rgb(0xffd9d7), level: rgb(0xffffff)},
}

// bronze is the colour of the bell where it is no verdict, on the ground of the light theme; pale is that of the icons,
// on patina.
var bronze, pale, patina = rgb(0x86623c), rgb(0xf0d3a0), rgb(0x0a5f58)

// Has reports whether the letters of a text can be drawn.
func (a *Artist) Has(text string) bool { return typed{a.fonts.bold, 16}.has(text) }

// Card draws a card as a PNG. The texts are cut where they do not fit.
func (a *Artist) Card(c Card) []byte {
	const edge, right = 72.0, Width - 72.0
	st := styles[c.Class]
	v := newCanvas(Width, Height, st.ground)
	for _, part := range st.frame() {
		v.fill(part, st.level, st.ground)
	}
	a.gauge(v, c, st, point{990, 62})

	x := edge
	class := c.Class
	if class == "known" { // whose frame alone is another
		class = "clean"
	}
	if mark, has := a.marks[class]; has {
		var p Path
		p.add(mark, 3, 0, point{edge, 66})
		v.fill(p, st.level, st.ground)
		x += 72 + 24
	}
	head := typed{a.fonts.bold, 52}
	v.fill(head.at(point{x, 120}, c.Head), st.level, st.ground)
	x += head.width(c.Head) + 24
	v.fill(typed{a.fonts.regular, 32}.at(point{x, 119}, c.Note), st.soft, st.ground)

	title, width := typed{a.fonts.bold, 60}, 740.0
	lines := title.lines(c.Title, width, 3)
	if strings.Join(lines, " ") != strings.Join(strings.Fields(c.Title), " ") { // smaller, rather than cut
		title.size = 46
		lines = title.lines(c.Title, width, 4)
	}
	y := 226.0
	for _, line := range lines {
		v.fill(title.at(point{edge, y}, line), st.ink, st.ground)
		y += title.size * 1.18
	}

	subject := typed{a.fonts.mono, 36}
	v.fill(subject.at(point{edge, 482}, subject.cut(c.Subject, right-edge)), st.ink, st.ground)

	var rule, bell Path
	rule.box(edge, 520, right-edge, 2)
	v.fill(rule, blend(st.soft, st.ground), st.ground)
	bell.add(a.bell, 1.35, 0, point{edge - 4, 541})
	logo := st.level
	if c.Class != "critical" {
		logo = bronze
	}
	v.fill(bell, logo, st.ground)
	foot := typed{a.fonts.bold, 32}
	v.fill(foot.at(point{edge + 50, 576}, "Tocsin"), st.ink, st.ground)
	after := edge + 50 + foot.width("Tocsin") + 22
	foot = typed{a.fonts.regular, 28}
	on := foot.width(c.Foot[1])
	v.fill(foot.at(point{after, 575}, foot.cut(c.Foot[0], right-after-on-40)), st.soft, st.ground)
	v.fill(foot.at(point{right - on, 575}, c.Foot[1]), st.soft, st.ground)
	return v.png()
}

// Clapper returns by how many degrees the clapper of a gauge has swung at a score.
func Clapper(score int) int { return score * 56 / 100 }

// Swing returns by how many degrees the bell of a gauge has swung at a score.
func Swing(score int) int { return score * 34 / 100 }

// ticks are the scores at which the levels begin, and the end of the scale.
var ticks = [...]int{0, 25, 50, 80, 100}

// gauge draws the score as the swing of a bell that hangs from a point: as many arcs as it is loud, and the clapper at
// the score.
func (a *Artist) gauge(v *canvas, c Card, st style, from point) {
	const radius, gap = 190.0, 1.6
	faint := blend(st.level, st.ground)
	angle := func(score int) float64 { return 90 - 0.56*float64(score) } // as bow counts
	for i := range len(ticks) - 1 {
		var p Path
		p.bow(from, radius, 8, angle(ticks[i+1])+gap, angle(ticks[i])-gap)
		ink := st.level
		if i >= c.Arcs {
			ink = faint
		}
		v.fill(p, ink, st.ground)
	}
	var left, marks Path
	left.bow(from, radius, 4, 90+gap, 90+56)
	v.fill(left, faint, st.ground)
	for _, score := range ticks {
		marks.bow(from, radius, 26, angle(score)-0.6, angle(score)+0.6)
	}
	v.fill(marks, st.level, st.ground)
	ink := st.level
	if c.Class == "" {
		ink = bronze
	}
	const size = 4.75 // of the bell
	var needle, ball, hung Path
	needle.box(-3, 90, 6, 64)
	ball.bow(point{0, 157}, 7, 14, 0, 360)
	hung.add(a.hollow, size, 0, point{-16 * size, -3.8 * size})
	for _, part := range []struct {
		path  Path
		swing int
	}{{needle, Clapper(c.Score)}, {ball, Clapper(c.Score)}, {hung, Swing(c.Score)}} {
		var p Path
		p.add(part.path, 1, -float64(part.swing), from)
		v.fill(p, ink, st.ground)
	}
}

// blend returns a colour of which little is left on a ground.
func blend(ink, ground color.RGBA) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8((int(a)*22 + int(b)*78) / 100) }
	return color.RGBA{R: mix(ink.R, ground.R), G: mix(ink.G, ground.G), B: mix(ink.B, ground.B), A: 255}
}

// Icon draws the bell as a square PNG. With full it is pale on a ground that reaches every edge, so that a phone can
// cut it to its shape; else it is dark on nothing.
func (a *Artist) Icon(size int, full bool) []byte {
	ink, ground, part := bronze, color.RGBA{}, 0.94
	if full {
		ink, ground, part = pale, patina, 0.56
	}
	v := newCanvas(size, size, ground)
	low, high := a.bell.bounds()
	scale := float64(size) * part / max(high.x-low.x, high.y-low.y)
	var p Path
	p.add(a.bell, scale, 0, point{
		(float64(size) - (low.x+high.x)*scale) / 2, (float64(size) - (low.y+high.y)*scale) / 2})
	v.fill(p, ink, ground)
	return v.png()
}

// Favicon returns the bell as an ICO with one picture of 48 × 48.
func (a *Artist) Favicon() []byte {
	const size = 48
	icon := a.Icon(size, false)
	var b bytes.Buffer
	for _, n := range []uint16{0, 1, 1, size<<8 | size, 0, 1, 32} { // it is an icon, has one, of that size, of 32 bits
		binary.Write(&b, binary.LittleEndian, n) // a buffer never fails
	}
	binary.Write(&b, binary.LittleEndian, []uint32{uint32(len(icon)), 22})
	return append(b.Bytes(), icon...)
}
