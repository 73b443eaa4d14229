package lookalike

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"tocsin"
)

//go:embed brands.txt
var shipped string

// Brands are the names that fraud imitates, with the domains that belong to them, prepared for being looked for. They
// never change after they were made, so any number of goroutines may use them.
type Brands struct {
	main     []string          // by brand: its main domain
	use      []tocsin.SiteUse  // by brand
	owners   map[string]int32  // domain → brand
	whole    map[string]string // domain that fraud has in front of its own, as people see it → the owner's main one
	hyphened map[string]string // such a domain with hyphens for dots → domain
	names    []brandName
	exact    map[string]int32   // name → index in names
	looks    map[string][]int32 // canonical name → indexes in names
	missing  map[uint32][]int32 // hash of a name without one of its characters → indexes in names
	changed  [1 << 10]uint64    // a set of the upper halves of these hashes
	begins   [1 << 10]uint64    // a set of the hashes of the first four characters of long names
	longest  int                // bytes of the longest name
}

// marks are what may be before a name: see [ReadBrands].
const marks = "~'+"

// brandName is one way to write a brand.
type brandName struct {
	text    string
	brand   int32
	word    bool // an ordinary word: alone it says nothing
	common  bool // honest sites have it beside words that lure
	accents bool // it is also a word, or the owner's own, with accents, which are no imitation then
}

// Minimal lengths of names, in bytes, by how they are looked for. Shorter ones are met by chance.
const (
	minToken   = 3 // as a whole part of a name
	minCut     = 5 // as two parts, of an authority: gov-uk
	minInside  = 6 // inside a longer part
	minChanged = 6 // with letters changed; half of the changes of shorter names are names of others
)

// uses are the lines that say what people do on the sites below them.
var uses = [...]string{tocsin.Connects: "[connect]", tocsin.SignsIn: "[sign-in]", tocsin.Authority: "[authority]",
	tocsin.Banks: "[banks]"}

// ShippedBrands returns the brands of the list in the program. The sites are those of [ReadBrands].
func ShippedBrands(sites ...string) *Brands {
	b, err := ReadBrands(strings.NewReader(""), sites...)
	if err != nil {
		panic(err) // the list is tested
	}
	return b
}

// ReadBrands returns the brands of the program and those of the operator. A line has the names that are looked for,
// separated by commas, and after spaces the domains of the brand, the main one first. A name after ~ is an ordinary
// word, one after ' is one with accents, one after + has honest sites beside words that lure. A line that begins with a
// known name adds to its brand. A line with a [tocsin.SiteUse] in brackets says what people do on the sites below it,
// [connect] if there is none. Empty lines and those that begin with # are comments. An error says which line is wrong.
//
// The sites are further ones whose whole domains warn in front of others, as those of the brands do. Nothing else is
// looked for of them: their names may be ordinary words.
func ReadBrands(more io.Reader, sites ...string) (*Brands, error) {
	b := &Brands{owners: map[string]int32{}, whole: map[string]string{}, hyphened: map[string]string{},
		exact: map[string]int32{}, looks: map[string][]int32{}, missing: map[uint32][]int32{}}
	if err := b.read(strings.NewReader(shipped)); err != nil {
		return nil, err
	}
	if err := b.read(more); err != nil {
		return nil, err
	}
	for _, site := range sites {
		site = strings.TrimPrefix(site, "www.") // of an authority whose domain is a public suffix
		if _, known := b.whole[site]; !known && !labels[site] {
			b.putInFront(site, site)
		}
	}
	return b, nil
}

func (b *Brands) read(list io.Reader) error {
	lines, use := bufio.NewScanner(list), tocsin.Connects
	for at := 1; lines.Scan(); at++ {
		fields := strings.Fields(strings.ToLower(lines.Text()))
		switch {
		case len(fields) == 0 || fields[0][0] == '#':
			continue
		case slices.Contains(uses[:], fields[0]):
			use = tocsin.SiteUse(slices.Index(uses[:], fields[0]))
			continue
		case len(fields) < 2:
			return fmt.Errorf("line %d: %q has no domain", at, fields[0])
		}
		if err := b.add(strings.Split(fields[0], ","), fields[1:], use); err != nil {
			return fmt.Errorf("line %d: %w", at, err)
		}
	}
	return lines.Err()
}

func (b *Brands) add(names, domains []string, use tocsin.SiteUse) error {
	brand := int32(len(b.main))
	if at, known := b.exact[strings.TrimLeft(names[0], marks)]; known {
		brand = b.names[at].brand
	} else {
		b.main, b.use = append(b.main, domains[0]), append(b.use, use)
	}
	for _, text := range domains {
		d, fault := tocsin.ParseDomain(text)
		if fault != nil {
			return fault
		}
		if owner, taken := b.owners[d.String()]; taken && owner != brand {
			return fmt.Errorf("%s belongs to a brand already", d)
		}
		b.owners[d.String()] = brand
		b.putInFront(d.String(), b.main[brand])
	}
	for _, marked := range names {
		text := strings.TrimLeft(marked, marks)
		mark := marked[:len(marked)-len(text)]
		n := brandName{text: text, brand: brand, word: strings.Contains(mark, "~"), common: strings.Contains(mark, "+")}
		n.accents = n.word || strings.Contains(mark, "'")
		switch at, taken := b.exact[text]; {
		case len(text) < minToken || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") != "":
			return fmt.Errorf("the name %q is not three or more letters and digits", text)
		case taken && b.names[at].brand != brand:
			return fmt.Errorf("the name %q belongs to a brand already", text)
		case lureWords[text] && !n.word:
			return fmt.Errorf("the name %q is an ordinary word: write ~%s", text, text)
		case !taken:
			b.index(n)
		}
	}
	return nil
}

func (b *Brands) index(n brandName) {
	at := int32(len(b.names))
	b.names = append(b.names, n)
	b.exact[n.text] = at
	b.longest = max(b.longest, len(n.text))
	if len(n.text) >= minInside {
		h := beginning(n.text)
		b.begins[h>>6] |= 1 << (h & 63)
	}
	if len(n.text) < minChanged {
		return
	}
	looks := string(canonical([]byte(n.text), nil))
	b.looks[looks] = append(b.looks[looks], at)
	if n.word {
		return // too many words are one letter away from another
	}
	eachChanged(n.text, func(h uint32) {
		b.missing[h] = append(b.missing[h], at)
		b.changed[h>>22] |= 1 << (h >> 16 & 63)
	})
}

// eachChanged calls visit with the hash of a text, and with those of the text without one of its letters. Of equal
// letters in a row it leaves out the first alone: the others give the same.
func eachChanged(text string, visit func(h uint32)) {
	visit(hash(hashBegin, text))
	before := hashBegin
	for i := range len(text) {
		if i == 0 || text[i] != text[i-1] {
			visit(hash(before, text[i+1:]))
		}
		before = hash(before, text[i:i+1])
	}
}

// beginning returns a hash of ten and six bits of the first four bytes.
func beginning(text string) uint32 {
	v := uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 | uint32(text[3])<<24
	return v * 0x9e3779b1 >> 16
}

// hashBegin is the hash of an empty text.
const hashBegin uint32 = 2166136261

// hash returns the hash of a text that begins with one that has the hash h, and goes on so (FNV-1a).
func hash(h uint32, more string) uint32 {
	for i := range len(more) {
		h = (h ^ uint32(more[i])) * 16777619
	}
	return h
}

// Owner returns the main domain of the brand to which the domain belongs, itself or by one of its parents, or "".
// What users of a brand's hosting have does not belong to the brand.
func (b *Brands) Owner(d tocsin.Domain) string {
	name := d.String()
	for len(name) >= len(d.Registrable()) {
		if brand, ok := b.owners[name]; ok {
			return b.main[brand]
		}
		_, rest, found := strings.Cut(name, ".")
		if !found {
			break
		}
		name = rest
	}
	return ""
}

// Len returns the number of brands.
func (b *Brands) Len() int { return len(b.main) }

// Domains returns the domains of all brands, in no order.
func (b *Brands) Domains() []string {
	all := make([]string, 0, len(b.owners))
	for d := range b.owners {
		all = append(all, d)
	}
	return all
}
