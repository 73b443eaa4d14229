package store

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tocsin"
)

// heap returns how many bytes are reachable.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestWhatIsKeptIsCountedInRealBytes fills each memory, and compares what it says it takes with what the heap has grown
// by.
func TestWhatIsKeptIsCountedInRealBytes(t *testing.T) {
	alone(t)
	s := fresh(t)
	s.dossiers.bound, s.callers.bound = 1<<30, 1<<30
	unknown := func(n int) (addresses []tocsin.Address) {
		for i := range n {
			a, fault := tocsin.ParseAddress(fmt.Sprintf("0xfeed%036x", i))
			if fault != nil {
				t.Fatal(fault)
			}
			addresses = append(addresses, a)
		}
		return addresses
	}
	var listed []tocsin.Entry
	for _, a := range unknown(3000) {
		listed = append(listed, listing(a.Subject(), nil))
	}
	for i := range 30 {
		d := story(t, fmt.Sprint("story ", i), "evil.com")
		d.Description = strings.Repeat("What they said. ", 40)
		s.files(t, d, nil)
	}
	screen := func(addresses []tocsin.Address) {
		for len(addresses) > 0 {
			_, err := s.AboutAll(t.Context(), subjectsOf(addresses[:100]))
			do(t, err)
			addresses = addresses[100:]
		}
	}
	names := func(format string, n, limit int) {
		for i := range n {
			name := tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf(format, i)}
			_, err := s.AboutSubject(t.Context(), name, Page{Limit: limit})
			do(t, err)
		}
	}
	for _, c := range []struct {
		about string
		fill  func()
	}{
		{"unknown addresses", func() { screen(unknown(20_000)) }},
		{"unknown domains", func() { names("n%d.example", 3000, 20) }},
		{"names below one domain", func() { names("n%d.of.example.com", 3000, 20) }},
		{"first pages of reports", func() { names("n%d.evil.com", 300, 20) }},
		{"with what is made of them", func() {
			addresses := unknown(2000)
			screen(addresses)
			for _, a := range addresses {
				d, err := s.About(t.Context(), a, Page{Limit: 20})
				do(t, err)
				d.Keep(make([]byte, 1024), 1024)
			}
		}},
		{"listed addresses", func() {
			s.imports(t, "list", listed...)
			s.dossiers.clear()
			screen(unknown(3000))
		}},
		{"callers", func() {
			for i := range 20_000 {
				var hash [32]byte
				binary.BigEndian.PutUint32(hash[:], uint32(i))
				address := fmt.Sprintf("0xfeed%036x", i)
				c := &Caller{key: hash, Agent: tocsin.Agent{ID: fmt.Sprintf("agt_%016d", i), Address: &address},
					Prefix: fmt.Sprintf("toc_%08d", i)}
				s.callers.put(hash, c, 0)
			}
		}},
	} {
		c.fill() // statements are prepared, pages of the file are read
		right := false
		for try := 0; try < 3 && !right; try++ { // the rest of the program allocates as well
			s.dossiers.clear()
			s.callers.invalidate()
			s.callers.generation = 0
			before := heap()
			c.fill()
			grown, counted := heap()-before, s.dossiers.size+s.callers.size
			t.Logf("%s: %d bytes, %d counted", c.about, grown, counted)
			right = counted >= grown*10/13 && counted <= grown*13/10
		}
		if !right {
			t.Errorf("%s: what is counted is not what the heap has grown by", c.about)
		}
	}
}

// TestRandomSubjectsDoNotPushOutWhatIsInUse asks for one subject between many that nobody asks for twice.
func TestRandomSubjectsDoNotPushOutWhatIsInUse(t *testing.T) {
	c := dossiers{bound: 100 * weight(evil, newKept(0, tocsin.ListDates{}))}
	missed := 0
	for n := range 5000 {
		c.put(tocsin.Subject{Kind: tocsin.EVM, Value: fmt.Sprintf("0xfeed%036x", n)}, newKept(0, tocsin.ListDates{}), 0)
		if n%5 != 0 {
			continue
		}
		if d, _ := c.get(evil, 0); d == nil {
			missed++
			c.put(evil, newKept(0, tocsin.ListDates{}), 0)
		}
	}
	if missed > 80 { // dropped in any order it would be about 160 of 1,000
		t.Errorf("it was read again %d times", missed)
	}
}
