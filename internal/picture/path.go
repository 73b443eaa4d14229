package picture

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Path is an outline: shapes that are filled where they wind around a point. Its methods change it.
type Path struct{ steps []step }

// step is a line to the last of its points: straight with one, a quadratic or a cubic curve with two or three. With
// move it begins a shape.
type step struct {
	move   bool
	n      int
	points [3]point
}

type point struct{ x, y float64 }

func (p *Path) move(at point) {
	p.steps = append(p.steps, step{move: true, n: 1, points: [3]point{at}})
}
func (p *Path) line(to point) { p.steps = append(p.steps, step{n: 1, points: [3]point{to}}) }
func (p *Path) quad(a, to point) {
	p.steps = append(p.steps, step{n: 2, points: [3]point{a, to}})
}
func (p *Path) cube(a, b, to point) {
	p.steps = append(p.steps, step{n: 3, points: [3]point{a, b, to}})
}

// polygon adds a shape with straight edges.
func (p *Path) polygon(points ...point) {
	p.move(points[0])
	for _, to := range points[1:] {
		p.line(to)
	}
}

// box adds a rectangle.
func (p *Path) box(x, y, w, h float64) {
	p.polygon(point{x, y}, point{x + w, y}, point{x + w, y + h}, point{x, y + h})
}

// bow adds a part of a ring around a center: between two angles, in degrees clockwise from the right.
func (p *Path) bow(center point, radius, width, from, to float64) {
	const parts = 48
	at := func(r float64, i int) point {
		a := (from + (to-from)*float64(i)/parts) * math.Pi / 180
		return point{center.x + r*math.Cos(a), center.y + r*math.Sin(a)}
	}
	p.move(at(radius+width/2, 0))
	for i := 1; i <= parts; i++ {
		p.line(at(radius+width/2, i))
	}
	for i := parts; i >= 0; i-- {
		p.line(at(radius-width/2, i))
	}
}

// add adds another path: scaled, then turned by degrees clockwise around the origin, then moved.
func (p *Path) add(other Path, scale, degrees float64, by point) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for _, s := range other.steps {
		for i, at := range s.points[:s.n] {
			x, y := at.x*scale, at.y*scale
			s.points[i] = point{by.x + x*cos - y*sin, by.y + x*sin + y*cos}
		}
		p.steps = append(p.steps, s)
	}
}

// bounds returns the corners of a box that holds the path.
func (p *Path) bounds() (low, high point) {
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, s := range p.steps {
		for _, at := range s.points[:s.n] {
			low = point{min(low.x, at.x), min(low.y, at.y)}
			high = point{max(high.x, at.x), max(high.y, at.y)}
		}
	}
	return low, high
}

var errPath = errors.New("picture: this is no path of SVG")

// ParsePath parses the attribute d of a path of SVG. It knows the commands M, L, H, V, C, A and Z, and the arcs of
// circles only.
func ParsePath(d string) (Path, error) {
	var p Path
	var at, began point
	var command byte
	rest := d
	for {
		rest = strings.TrimLeft(rest, " ,\n")
		if rest == "" {
			return p, nil
		}
		if c := rest[0]; c >= 'A' {
			command, rest = c, rest[1:]
		}
		counts := map[byte]int{'m': 2, 'l': 2, 'h': 1, 'v': 1, 'c': 6, 'a': 7, 'z': 0}
		kind := command | 0x20
		count, known := counts[kind]
		if !known {
			return p, errPath
		}
		var n [7]float64
		for i := range count {
			var err error
			flag := kind == 'a' && (i == 3 || i == 4)
			if n[i], rest, err = number(rest, flag); err != nil {
				return p, err
			}
		}
		base := at
		if command < 'a' {
			base = point{}
		}
		to := func(i int) point { return point{base.x + n[i], base.y + n[i+1]} }
		switch kind {
		case 'm':
			at = to(0)
			began = at
			p.move(at)
			command-- // from m to l, M to L: what follows without a command is a line
		case 'l':
			at = to(0)
			p.line(at)
		case 'h':
			at.x = base.x + n[0]
			p.line(at)
		case 'v':
			at.y = base.y + n[0]
			p.line(at)
		case 'c':
			p.cube(to(0), to(2), to(4))
			at = to(4)
		case 'a':
			p.arc(at, to(5), n[0], n[3] != 0, n[4] != 0)
			at = to(5)
		case 'z':
			at = began
			p.line(at)
			if rest = strings.TrimLeft(rest, " ,\n"); rest != "" && rest[0] < 'A' {
				return p, errPath
			}
		}
	}
}

// number reads a number, or a flag of one digit, from the beginning of a text.
func number(text string, flag bool) (n float64, rest string, err error) {
	text = strings.TrimLeft(text, " ,\n")
	end, point := 0, false
	for end < len(text) && !(flag && end == 1) {
		c := text[end]
		if c == '.' && !point {
			point = true
		} else if (c < '0' || c > '9') && (c != '-' || end > 0) {
			break
		}
		end++
	}
	if n, err = strconv.ParseFloat(text[:end], 64); err != nil || flag && n != 0 && n != 1 {
		return 0, "", errPath
	}
	return n, text[end:], nil
}

// arc adds an arc of a circle, as straight lines of at most four degrees.
func (p *Path) arc(from, to point, radius float64, large, clockwise bool) {
	dx, dy := to.x-from.x, to.y-from.y
	half := math.Hypot(dx, dy) / 2
	if half == 0 {
		return
	}
	radius = max(radius, half)
	off := math.Sqrt(radius*radius-half*half) / (2 * half)
	if large == clockwise {
		off = -off
	}
	center := point{(from.x+to.x)/2 - dy*off, (from.y+to.y)/2 + dx*off}
	begin := math.Atan2(from.y-center.y, from.x-center.x)
	turn := math.Atan2(to.y-center.y, to.x-center.x) - begin
	if clockwise && turn < 0 {
		turn += 2 * math.Pi
	} else if !clockwise && turn > 0 {
		turn -= 2 * math.Pi
	}
	parts := int(math.Abs(turn)/(math.Pi/45)) + 1
	for i := 1; i < parts; i++ {
		a := begin + turn*float64(i)/float64(parts)
		p.line(point{center.x + radius*math.Cos(a), center.y + radius*math.Sin(a)})
	}
	p.line(to)
}
