package store

import (
	"cmp"
	"unsafe"

	"tocsin"
)

// Memory is how much a DB may keep in memory, in bytes; the zero value is a default that suits a short command.
type Memory struct {
	Model    int // the read model: what is on record about all subjects; 0: there is none, as suits a short command
	Evidence int // the read model, and dossiers with what is kept with them, together; more than Model
	Callers  int // who has which key
	Pages    int // pages of the file, of all connections together
}

// connections is how many connections a DB has open: readers, writer, the keeper of the write-ahead log, and the
// follower of the log of events.
const connections = readers + 3

// orDefault fills in what is not said.
func (m Memory) orDefault() Memory {
	return Memory{
		Model:    m.Model,
		Evidence: cmp.Or(m.Evidence, 32<<20),
		Callers:  cmp.Or(m.Callers, 2<<20),
		Pages:    cmp.Or(m.Pages, connections*16<<20),
	}
}

// mapped is how many bytes a map takes for an entry with a key and a value of so many bytes: its tables are between
// 44 % and 88 % full.
func mapped(key, value uintptr) int { return int(key+value+1) * 3 / 2 }

// stringBytes is how many bytes a string takes beside its header.
func stringBytes(s string) int { return (len(s) + 15) &^ 15 }

// listingBytes is how many bytes a listing takes.
func listingBytes(l *tocsin.Listing) int {
	bytes := int(unsafe.Sizeof(*l))
	for _, s := range []string{l.List, string(l.Kind), l.Category, l.URL, l.Chain, l.Family, l.Name, l.Program} {
		bytes += stringBytes(s)
	}
	if l.Since != nil {
		bytes += int(unsafe.Sizeof(*l.Since))
	}
	return bytes
}

// reportBytes is how many bytes a report takes beside its text.
func reportBytes(r *tocsin.Report) int {
	const each = 32 // a string in a list: its header, and what the allocator rounds up
	return int(unsafe.Sizeof(*r)) + int(unsafe.Sizeof(tocsin.Reporter{})) + 256 +
		each*(len(r.ScammerAddresses)+len(r.ReportedDomains)+len(r.ScammerAccounts)+len(r.ReportedHandles)+
			len(r.Evidence.URLs)+len(r.Evidence.TransactionHashes))
}

// weight is how many bytes of memory a kept dossier takes, with its places in the maps.
func weight(name tocsin.Subject, d *keptDossier) int {
	place := mapped(unsafe.Sizeof(name), unsafe.Sizeof(d))
	bytes := int(unsafe.Sizeof(*d)) + place + stringBytes(name.Value)
	if !name.IsAddress() {
		bytes += place
	}
	for i := range d.Listings {
		bytes += listingBytes(&d.Listings[i])
	}
	for _, g := range d.Reporters {
		bytes += int(unsafe.Sizeof(g)) + stringBytes(g.Agent)
	}
	for _, m := range d.Matches {
		bytes += int(unsafe.Sizeof(m)) + stringBytes(m.Domain)
	}
	for _, c := range d.CrimeTypes {
		bytes += int(unsafe.Sizeof(c)) + stringBytes(string(c))
	}
	for i := range d.Reports {
		bytes += reportBytes(&d.Reports[i])
	}
	for _, e := range d.ends {
		bytes += int(unsafe.Sizeof(e)) + stringBytes(e.cursor)
	}
	if n := len(d.ends); n > 0 {
		bytes += d.ends[n-1].bytes
	}
	return bytes
}

// bytes is how many bytes of memory a caller takes, with its place in the map.
func (c *Caller) bytes() int {
	bytes := int(unsafe.Sizeof(*c)) + mapped(unsafe.Sizeof(c.key), unsafe.Sizeof(c))
	for _, s := range []string{c.Agent.ID, c.Prefix} {
		bytes += stringBytes(s)
	}
	for _, s := range []*string{c.Agent.Address, c.Agent.Name} {
		if s != nil {
			bytes += int(unsafe.Sizeof(*s)) + stringBytes(*s)
		}
	}
	if c.Quota != nil {
		bytes += int(unsafe.Sizeof(*c.Quota))
	}
	return bytes
}
