package readmodel

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"tocsin"
)

// Record is what is on record under one name, as it is put into a [Model].
type Record struct {
	Listings []Listing // in force, in the order in which answers have them
	Mentions []Mention // of its visible reports, the newest first
	Ask      bool      // there is more than this: the database must be asked
}

// Listing is a listing with the id of its list; its subject and the names of its list are not kept with it.
type Listing struct {
	List int64
	tocsin.Listing
}

// Mention says that a visible report names the subject.
type Mention struct {
	Place
	Told  bool  // by a list
	Agent int64 // who filed it; 0: nobody, or a list
	Crime tocsin.CrimeType
}

// Place is where a report is in the list of those about a subject: the newest first, and of one date that with the
// highest number first.
type Place struct {
	Published int64 // µs since 1970; 0 if it has no date
	Report    int64 // its number
}

// Before reports whether the report comes before another one in the list.
func (p Place) Before(q Place) bool {
	return p.Published > q.Published || p.Published == q.Published && p.Report > q.Report
}

// Most bounds what is kept of one subject: of more reports, or of a larger record, only that there are some. So a
// subject that very many name costs no more to follow than others, and the few of its kind are asked for in the
// database.
const (
	Most    = 64
	maxSize = 8 << 10
)

// The first byte of a value.
const (
	flagAsk      = 1 << iota // the rest is not all, or not true any more
	flagMentions             // mentions follow the listings
)

// The first byte of a listing, after its shape.
const (
	flagSince = 1 << iota
	flagURL
	flagName
	flagProgram
)

// shape is what many listings have in common.
type shape struct {
	list     int64
	kind     tocsin.ListingKind
	category string
	chain    string
	base     string // of the URL, up to the last slash
}

// maxShapes bounds the memory of a list whose entries have little in common; the shapes beyond are written out.
const maxShapes = 4096

// encoding turns records into bytes and back.
type encoding struct {
	shapes []shape // 0 is not used
	byForm map[shape]uint64
	crimes []tocsin.CrimeType
	bytes  int // of memory that these tables take, about
}

func (e *encoding) shape(s shape) uint64 {
	if n, known := e.byForm[s]; known {
		return n
	}
	if len(e.shapes) >= maxShapes {
		return 0
	}
	if e.byForm == nil {
		e.byForm, e.shapes = map[shape]uint64{}, make([]shape, 1)
	}
	// The texts are often parts of longer ones.
	s.category, s.chain, s.base = strings.Clone(s.category), strings.Clone(s.chain), strings.Clone(s.base)
	s.kind = tocsin.ListingKind(strings.Clone(string(s.kind)))
	n := uint64(len(e.shapes))
	e.shapes, e.byForm[s] = append(e.shapes, s), n
	e.bytes += 256 + len(s.category) + len(s.chain) + len(s.base)
	return n
}

func (e *encoding) crime(c tocsin.CrimeType) uint64 {
	for i, known := range e.crimes {
		if known == c {
			return uint64(i)
		}
	}
	e.crimes = append(e.crimes, tocsin.CrimeType(strings.Clone(string(c))))
	e.bytes += 48
	return uint64(len(e.crimes) - 1)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// encode appends the value of a record.
func (e *encoding) encode(b []byte, r *Record) []byte {
	begin := len(b)
	if r.Ask || len(r.Mentions) > Most {
		return append(b, flagAsk)
	}
	flags := byte(0)
	if len(r.Mentions) > 0 {
		flags = flagMentions
	}
	b = append(b, flags)
	b = binary.AppendUvarint(b, uint64(len(r.Listings)))
	for i := range r.Listings {
		b = e.encodeListing(b, &r.Listings[i])
	}
	if len(r.Mentions) > 0 {
		b = binary.AppendUvarint(b, uint64(len(r.Mentions)))
	}
	for _, m := range r.Mentions {
		b = binary.AppendUvarint(b, uint64(m.Published))
		b = binary.AppendUvarint(b, uint64(m.Report))
		who := uint64(0)
		if !m.Told {
			who = uint64(m.Agent) + 1
		}
		b = binary.AppendUvarint(b, who)
		b = binary.AppendUvarint(b, e.crime(m.Crime))
	}
	if len(b)-begin > maxSize {
		return append(b[:begin], flagAsk)
	}
	return b
}

func (e *encoding) encodeListing(b []byte, l *Listing) []byte {
	cut := strings.LastIndexByte(l.URL, '/') + 1
	s := shape{l.List, l.Kind, l.Category, l.Chain, l.URL[:cut]}
	n := e.shape(s)
	b = binary.AppendUvarint(b, n)
	if n == 0 {
		b = binary.AppendUvarint(b, uint64(s.list))
		for _, text := range []string{string(s.kind), s.category, s.chain, s.base} {
			b = appendText(b, text)
		}
	}
	at := len(b)
	b = append(b, 0)
	if l.Since != nil {
		b[at] |= flagSince
		b = binary.AppendVarint(b, l.Since.Micro())
	}
	for i, text := range []string{l.URL[cut:], l.Name, l.Program} {
		if text != "" {
			b[at] |= flagURL << i
			b = appendText(b, text)
		}
	}
	return b
}

// reader reads what encode has written.
type reader struct{ b []byte }

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string {
	n := r.number()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// decode reads a value. A listing gets its subject and the names of its list.
func (e *encoding) decode(
	value []byte, subject tocsin.Subject, lists map[int64]List,
) (listings []tocsin.Listing, mentions []Mention) {
	r := reader{value[1:]}
	if n := r.number(); n > 0 {
		listings = make([]tocsin.Listing, n)
		for i := range listings {
			e.decodeListing(&r, &listings[i], lists)
			listings[i].Subject = subject
		}
	}
	if value[0]&flagMentions == 0 {
		return listings, nil
	}
	mentions = make([]Mention, r.number())
	for i := range mentions {
		m := &mentions[i]
		m.Published, m.Report = int64(r.number()), int64(r.number())
		if who := r.number(); who == 0 {
			m.Told = true
		} else {
			m.Agent = int64(who) - 1
		}
		m.Crime = e.crimes[r.number()]
	}
	return listings, mentions
}

func (e *encoding) decodeListing(r *reader, l *tocsin.Listing, lists map[int64]List) {
	var s shape
	if n := r.number(); n > 0 {
		s = e.shapes[n]
	} else {
		s.list = int64(r.number())
		s.kind, s.category = tocsin.ListingKind(r.text()), r.text()
		s.chain, s.base = r.text(), r.text()
	}
	list := lists[s.list]
	l.List, l.Family, l.Kind, l.Category, l.Chain, l.URL = list.Name, list.Family, s.kind, s.category, s.chain, s.base
	flags := r.b[0]
	r.b = r.b[1:]
	if flags&flagSince != 0 {
		v, n := binary.Varint(r.b)
		r.b = r.b[n:]
		at := tocsin.MicroTime(v)
		l.Since = &at
	}
	if flags&flagURL != 0 {
		l.URL += r.text()
	}
	if flags&flagName != 0 {
		l.Name = r.text()
	}
	if flags&flagProgram != 0 {
		l.Program = r.text()
	}
}

// These begin the key of an address and that of a domain.
const (
	keyEVM = 1
	keyDNS = 3
)

// appendKey appends the key of a subject: its kind in one byte or as text, and its value. An address is 20 bytes.
func appendKey(b []byte, s tocsin.Subject) []byte {
	switch s.Kind {
	case tocsin.EVM:
		if len(s.Value) == 42 {
			if key, err := hex.AppendDecode(append(b, keyEVM), []byte(s.Value[2:])); err == nil {
				return key
			}
		}
		b = append(b, 2)
	case tocsin.DNS:
		b = append(b, keyDNS)
	default:
		b = append(append(append(b, 0), s.Kind...), 0)
	}
	return append(b, s.Value...)
}
