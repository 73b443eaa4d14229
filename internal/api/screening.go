package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// briefScreening is the schema BriefScreening.
type briefScreening struct {
	Address string `json:"address"`
	tocsin.Screening
}

// screening is the JSON of a screening, around the moment in its asOf.
type screening struct {
	address       string // that it begins with, if before begins behind it; "" if before is all
	before, after []byte
	at            tocsin.Time
	history       json.RawMessage // what is appended as listHistory; nil for nothing
}

// asOf begins the moment of a screening. It cannot occur in a text, where quotes are escaped.
const asOf = `"asOf":"`

// encode implements encoder.
func (sc *screening) encode(b *bytes.Buffer) error {
	sc.encodeAt(b, sc.at.String())
	return nil
}

// encodeAt encodes it with its moment as text, which is the same for all of a batch.
func (sc *screening) encodeAt(b *bytes.Buffer, at string) {
	if sc.address != "" {
		b.WriteString(addressFirst)
		b.WriteString(sc.address)
	}
	b.Write(sc.before)
	b.WriteString(at)
	b.Write(sc.after)
	if sc.history != nil {
		b.Truncate(b.Len() - len("}"))
		b.WriteString(`,"listHistory":`)
		b.Write(sc.history)
		b.WriteByte('}')
	}
}

// keptScreening returns the screening that is kept with a dossier, nil if none is. What was made before the model of
// names was exchanged so often is not returned, nor before the list of sanctions was out of date.
func keptScreening(d *store.Dossier, now time.Time, models uint64) *screening {
	kept := encodedOf(d)
	if kept.before == nil || kept.models != models || kept.outOfDate != d.Lists.SanctionsOutOfDate(tocsin.TimeOf(now)) {
		return nil
	}
	return &screening{before: kept.before, after: kept.after, at: tocsin.TimeOf(now)}
}

// newScreening encodes the screening of a dossier, and keeps it if the score of the evidence does not depend on the
// moment.
func newScreening(
	d *store.Dossier, of tocsin.Evidence, now time.Time, models uint64, described any,
) (*screening, error) {
	sc, err := split(described, tocsin.TimeOf(now))
	if err == nil && of.Ageless() && d.Keeps() {
		kept := encodedOf(d)
		kept.before, kept.after, kept.models = bytes.Clone(sc.before), bytes.Clone(sc.after), models
		kept.outOfDate = d.Lists.SanctionsOutOfDate(tocsin.TimeOf(now))
		kept.keep(d)
	}
	return sc, err
}

// split encodes a screening as of a moment.
func split(described any, at tocsin.Time) (*screening, error) {
	var b bytes.Buffer
	if err := encodeJSON(&b, described); err != nil {
		return nil, err
	}
	text := b.Bytes()
	end := bytes.LastIndex(text, []byte(asOf)) + len(asOf)
	return &screening{before: text[:end:end], after: text[end+len(at.String()):], at: at}, nil
}

// addressFirst is the beginning of every screening of an address.
const addressFirst = `{"address":"`

// unknownScreening is what all screenings of addresses with nothing on record have behind the address, while the list
// of sanctions is of a date, and is out of date or not.
type unknownScreening struct {
	before, after []byte
	listDate      *tocsin.Time
	outOfDate     bool
}

// unknownAt returns it for dossiers that have the lists.
func (s *Server) unknownAt(lists tocsin.ListDates, now time.Time) (*unknownScreening, error) {
	date, outOfDate := lists.Dates[tocsin.SanctionsList], lists.SanctionsOutOfDate(tocsin.TimeOf(now))
	if u := s.unknown.Load(); u != nil && u.listDate == date && u.outOfDate == outOfDate {
		return u, nil
	}
	var zero tocsin.Address
	screened := tocsin.Screen(withFindings(&tocsin.Dossier{Lists: lists}, &tocsin.AddressFindings{}), now)
	sc, err := split(briefly(zero, screened), tocsin.TimeOf(now))
	if err != nil {
		return nil, err
	}
	u := &unknownScreening{sc.before[len(addressFirst)+len(zero.String()):], sc.after, date, outOfDate}
	s.unknown.Store(u)
	return u, nil
}

// withFindings returns a dossier with what its address says, in a copy.
func withFindings(d *tocsin.Dossier, found *tocsin.AddressFindings) *tocsin.Dossier {
	judged := *d
	judged.Address = found
	return &judged
}

// addressScreening screens the dossier of an address. Most have nothing on record and resemble nothing: that is written
// down already. An address that resembles another one is judged anew each time: what it resembles may change without
// an event about it, and may be a contact of the caller, which nobody else must see.
func (s *Server) addressScreening(
	a tocsin.Address, d *store.Dossier, found *tocsin.AddressFindings, now time.Time,
) (*screening, error) {
	if found.Poisoning != nil {
		return split(briefly(a, s.screen(withFindings(&d.Dossier, found), now)), tocsin.TimeOf(now))
	}
	if d.Unknown() {
		u, err := s.unknownAt(d.Lists, now)
		if err != nil {
			return nil, err
		}
		return &screening{address: a.String(), before: u.before, after: u.after, at: tocsin.TimeOf(now)}, nil
	}
	if sc := keptScreening(d, now, 0); sc != nil {
		return sc, nil
	}
	return newScreening(d, d.Evidence, now, 0, briefly(a, s.screen(withFindings(&d.Dossier, found), now)))
}

// screeningPage is a screening and a page of reports: the schemas AddressScreening and DomainScreening.
type screeningPage struct {
	*screening
	page
}

func (sp *screeningPage) encode(b *bytes.Buffer) error {
	if err := sp.screening.encode(b); err != nil {
		return err
	}
	return sp.encodeAfter(b)
}

// askedAddress is what screenAddress is asked.
type askedAddress struct {
	tocsin.Address
	contacts []tocsin.Address // of the caller
}

func (s *Server) parseAddress(c *call) (asked askedAddress, err error) {
	text := c.PathValue("address")
	address, fault := tocsin.ParseAddress(text)
	var faults []tocsin.Fault
	if fault != nil {
		if fault, err = s.withSanctions(c.Context(), text, fault); err != nil {
			return asked, err
		}
		faults = c.misplaced("address", fault)
	}
	contacts, more := parseContacts(c.input.Text("context"))
	if faults != nil && faults[0].Cause == tocsin.WrongCase {
		mistyped(&faults[0], c.PathValue("address"), contacts)
	}
	return askedAddress{address, contacts}, tocsin.Faults(append(faults, more...))
}

// mistyped adds to the fault of an address whose checksum is wrong that it is one of the contacts but for a digit.
func mistyped(fault *tocsin.Fault, text string, contacts []tocsin.Address) {
	digits, unread := tocsin.ParseAddress(strings.ToLower(text))
	if p := tocsin.ResembledContact(digits, contacts); unread == nil && p != nil && p.Differ == 1 {
		fault.Reason += "; all characters but one are those of " + p.Resembles + " in context"
		fault.Fix = "send " + p.Resembles + " if that one is meant"
	}
}

// parseContacts reads the contacts of a caller: addresses with commas between them.
func parseContacts(text string) (contacts []tocsin.Address, faults []tocsin.Fault) {
	if text == "" {
		return nil, nil
	}
	texts := strings.Split(text, ",")
	if len(texts) > tocsin.MaxContacts {
		return nil, []tocsin.Fault{{
			Field:  "context",
			Reason: fmt.Sprintf("it has %d addresses, and at most %d are compared", len(texts), tocsin.MaxContacts),
			Fix:    "send those that you paid most often or last",
		}}
	}
	for i, text := range texts {
		a, fault := tocsin.ParseAddress(text)
		if fault != nil {
			faults = append(faults, fault.In(fmt.Sprintf("context[%d]", i))...)
		}
		contacts = append(contacts, a)
	}
	return contacts, faults
}

func (s *Server) screenAddress(c *call, asked askedAddress) (any, error) {
	now := s.asOf(s.now()) // before it is read: what is recorded in between may be missing
	d, err := s.db.About(c.Context(), asked.Address, c.page())
	if err != nil {
		return nil, err
	}
	found, err := s.db.AddressFindings(c.Context(), []tocsin.Subject{asked.Subject()}, []*store.Dossier{d}, asked.contacts)
	if err != nil {
		return nil, err
	}
	sc, err := s.addressScreening(asked.Address, d, found[0], now)
	if err != nil {
		return nil, err
	}
	return s.screeningPage(c, asked.Address.Subject(), d, sc)
}

// briefly describes the screening of an address.
func briefly(address tocsin.Address, sc tocsin.Screening) briefScreening {
	return briefScreening{address.String(), sc}
}

func (s *Server) screeningPage(c *call, of tocsin.Subject, d *store.Dossier, sc *screening) (any, error) {
	histories, err := s.histories(c, []tocsin.Subject{of})
	if err != nil {
		return nil, err
	}
	sc.history = histories.of(0)
	reports, err := s.dossierPage(c, d)
	return &screeningPage{sc, reports}, err
}

// domainFindings are the fields of DomainScreening before its reports.
type domainFindings struct {
	Domain            string  `json:"domain"`
	RegistrableDomain *string `json:"registrableDomain"`
	tocsin.Screening
	Matches []tocsin.Match `json:"matches"`
}

func parseDomain(c *call) (tocsin.Domain, error) {
	domain, fault := paste.Site(c.PathValue("domain"))
	if fault != nil {
		return domain, tocsin.Faults(c.misplaced("domain", fault))
	}
	return domain, nil
}

func (s *Server) checkDomain(c *call, domain tocsin.Domain) (any, error) {
	now := s.asOf(s.now())
	d, err := s.db.AboutDomain(c.Context(), domain, c.page())
	if err != nil {
		return nil, err
	}
	sc, err := s.domainScreening(domain, d, now)
	if err != nil {
		return nil, err
	}
	return s.screeningPage(c, domain.Subject(), d, sc)
}

// domainScreening screens the dossier of a domain.
func (s *Server) domainScreening(domain tocsin.Domain, d *store.Dossier, now time.Time) (*screening, error) {
	models := s.config.Names.Changes() // before the name is judged
	if sc := keptScreening(d, now, models); sc != nil {
		return sc, nil
	}
	judged := d.Dossier
	judged.Name = s.config.Names.Findings(domain, d.Listings)
	s.addSignals(&judged, domain)
	return newScreening(d, judged.Evidence, now, models, domainFindings{domain.String(), optional(domain.Registrable()),
		s.screen(&judged, now), append([]tocsin.Match{}, d.Matches...)})
}

// addSignals adds what services say about a domain to what its name says, as far as it is known by now. They are asked
// only where it may matter, so that they learn few names: the name is near those of fraud, and no list warns of it.
func (s *Server) addSignals(d *tocsin.Dossier, domain tocsin.Domain) {
	warns := func(l tocsin.Listing) bool { return l.Kind == tocsin.Risk || l.Kind == tocsin.Sanction }
	if s.config.Signals != nil && d.Name.Near && !slices.ContainsFunc(d.Listings, warns) {
		d.Name.Signals = s.config.Signals(domain)
	}
}

// page is the part of a list that a call asks for. For a tool it is half as large:
// its result holds everything twice, as the protocol wants it.
func (c *call) page() store.Page {
	p := store.Page{Limit: c.input.Number("limit"), Cursor: c.input.Text("cursor")}
	if c.tool != nil {
		p.Bytes = store.PageBytes / 2
	}
	return p
}

// optional is null for nothing.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
