package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"

	"golang.org/x/image/vector"
)

// shades is how many steps there are between a colour and what it is drawn on.
const shades = 16

// canvas is a picture in the making. It has a palette, so that it is small and quick to pack.
type canvas struct {
	image *image.Paletted
	ramps map[[2]color.RGBA]int // where those of a colour on a ground begin in the palette
}

func newCanvas(width, height int, ground color.RGBA) *canvas {
	return &canvas{
		image: image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{ground}),
		ramps: map[[2]color.RGBA]int{},
	}
}

// fill fills a path that lies on one colour alone, which is the ground, or on parts of its own colour.
func (c *canvas) fill(p Path, ink, ground color.RGBA) {
	if len(p.steps) == 0 {
		return
	}
	low, high := p.bounds()
	box := image.Rect(int(math.Floor(low.x)), int(math.Floor(low.y)), int(high.x)+1, int(high.y)+1)
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	at := func(p point) (x, y float32) {
		return float32(p.x - float64(box.Min.X)), float32(p.y - float64(box.Min.Y))
	}
	for i, s := range p.steps {
		ax, ay := at(s.points[0])
		bx, by := at(s.points[1])
		cx, cy := at(s.points[2])
		switch {
		case s.move:
			if i > 0 {
				z.ClosePath()
			}
			z.MoveTo(ax, ay)
		case s.n == 1:
			z.LineTo(ax, ay)
		case s.n == 2:
			z.QuadTo(ax, ay, bx, by)
		default:
			z.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	z.ClosePath()
	covered := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	z.Draw(covered, covered.Bounds(), image.Opaque, image.Point{})
	first := c.ramp(ink, ground)
	seen := box.Intersect(c.image.Bounds())
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		from := covered.Pix[(y-box.Min.Y)*covered.Stride+seen.Min.X-box.Min.X:][:seen.Dx()]
		to := c.image.Pix[y*c.image.Stride+seen.Min.X:][:seen.Dx()]
		for x, a := range from {
			shade := (int(a)*(shades-1) + 127) / 255
			if now := int(to[x]); shade > 0 && (now < first || now > first+shades-2 || now < first+shade-1) {
				to[x] = uint8(first + shade - 1)
			}
		}
	}
}

// ramp returns where the shades of a colour on a ground begin in the palette: from faint to full.
func (c *canvas) ramp(ink, ground color.RGBA) int {
	key := [2]color.RGBA{ink, ground}
	first, known := c.ramps[key]
	if known {
		return first
	}
	first = len(c.image.Palette)
	c.ramps[key] = first
	mix := func(ink, ground uint8, i int) uint8 {
		return uint8((int(ink)*i + int(ground)*(shades-1-i)) / (shades - 1))
	}
	for i := 1; i < shades; i++ {
		c.image.Palette = append(c.image.Palette, color.RGBA{
			R: mix(ink.R, ground.R, i), G: mix(ink.G, ground.G, i), B: mix(ink.B, ground.B, i), A: mix(ink.A, ground.A, i)})
	}
	return first
}

// png returns the picture as a PNG.
func (c *canvas) png() []byte {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c.image); err != nil {
		panic(err) // a buffer never fails, and a palette has at most 256 colours
	}
	return b.Bytes()
}
