package store

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"tocsin"
)

// Filing is a report on its way in.
type Filing struct {
	Draft          tocsin.Draft // parsed
	By             *Caller      // nil: anonymous
	Network        netip.Prefix // where it comes from; only a keyed hash of it is used
	IdempotencyKey string       // of the caller's choosing, or ""
}

// Filed is a filing that was accepted.
type Filed struct {
	Report      tocsin.Report
	ManageToken string // proves to be the reporter. "" for a duplicate, unless [Filing.Derives]
	Duplicate   bool   // the same caller filed the same report within a day: Report is the first one
}

// minSecret is the shortest Idempotency-Key, in bytes, that brings an anonymous report's token back: the neighbours in
// a network are one caller, and must not guess it.
const minSecret = 16

// Derives reports whether the token of the report can be made again from the Idempotency-Key of its filing.
func (f *Filing) Derives() bool {
	return f.IdempotencyKey != "" && (f.By != nil || len(f.IdempotencyKey) >= minSecret)
}

// manageToken returns the token of a filing whose report has that id. If [Filing.Derives], it is derived from both and
// from a secret of the database, so that neither a copy of that nor the Idempotency-Key alone gives it away.
func (db *DB) manageToken(ctx context.Context, f *Filing, id string) (string, error) {
	if !f.Derives() {
		return tocsin.NewManageToken(db.random)
	}
	key, err := db.secret(ctx, &db.manageSecret, metaTokens)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(filingHash(id, f.IdempotencyKey))
	return tocsin.NewManageToken(bytes.NewReader(mac.Sum(nil)))
}

// filedBefore returns the first report of a filing that has come again, with its token if that can be derived.
func (db *DB) filedBefore(ctx context.Context, f *Filing, id string) (Filed, error) {
	first := Filed{Duplicate: true}
	var err error
	if first.Report, err = db.AnyReport(ctx, id); err != nil || !f.Derives() {
		return first, err
	}
	token, err := db.manageToken(ctx, f, id)
	if err != nil {
		return first, err
	}
	var manage []byte
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT manage FROM report WHERE id = $1", []any{id}, &manage)
	})
	if subtle.ConstantTimeCompare(manage, tokenHash(token)) == 1 { // or the first had another key, or none
		first.ManageToken = token
	}
	return first, err
}

// filingMemory is how long a filing that comes twice is answered with the first.
const filingMemory = 24 * time.Hour

// FileReport records a report; when it returns, the report is on disk. The same
// report by the same caller, or the same Idempotency-Key, within 24 hours gives
// the first one again, in the latter case with its token; the same key with
// another body, or after the report was withdrawn, is a fault. So are a banned
// agent ([tocsin.AgentBanned]) and a filing that is not taken at the moment
// ([tocsin.FilingClosed], [tocsin.FilingNeedsKey]).
func (db *DB) FileReport(ctx context.Context, f Filing) (Filed, error) {
	p, err := db.prepare(ctx, f)
	if err != nil {
		return Filed{}, err
	}
	if err := db.writeFiling(ctx, p); err != nil {
		return Filed{}, err
	}
	if p.first != "" {
		return db.filedBefore(ctx, &f, p.first)
	}
	filed := Filed{ManageToken: p.token, Report: tocsin.Report{
		ID:          p.id,
		Draft:       f.Draft,
		Status:      tocsin.Published,
		Source:      tocsin.Community,
		CreatedAt:   p.created,
		PublishedAt: &p.created,
	}}
	if f.By != nil {
		filed.Report.Reporter = &tocsin.Reporter{ID: f.By.Agent.ID, Name: f.By.Agent.Name}
	}
	return filed, nil
}

// prepare does all that need not wait for other filings.
func (db *DB) prepare(ctx context.Context, f Filing) (*pending, error) {
	p := pending{Filing: f, today: day(db.Now()), row: row{draft: f.Draft, words: new(wordsOfDraft(0, &f.Draft))}}
	var err error
	if p.body, p.digest, p.callers, err = db.identify(ctx, f, p.today); err != nil {
		return nil, err
	}
	p.traces = tracesOf(p.callers, f.IdempotencyKey, p.digest)
	if p.id, err = tocsin.NewID("rep_", db.random); err != nil {
		return nil, err
	}
	if p.token, err = db.manageToken(ctx, &f, p.id); err != nil {
		return nil, err
	}
	p.manage = tokenHash(p.token)
	if f.By != nil {
		p.agent = f.By.id
		p.number, err = db.networkNumber(ctx, f.Network)
	}
	return &p, err
}

// FiledBefore returns the first report if this filing has come before.
func (db *DB) FiledBefore(ctx context.Context, f Filing) (first Filed, found bool, err error) {
	_, digest, callers, err := db.identify(ctx, f, day(db.Now()))
	if err != nil {
		return first, false, err
	}
	id := ""
	err = db.read(ctx, primary, func(s *conn) error {
		traces := tracesOf(callers, f.IdempotencyKey, digest)
		known, err := earlierFilings(ctx, s, traces.all(), db.Now())
		if err == nil {
			id, err = findFiling(known, traces, digest)
		}
		return err
	})
	if err != nil || id == "" {
		return first, false, err
	}
	first, err = db.filedBefore(ctx, &f, id)
	return first, err == nil, err
}

// identify returns what a filing is known by when it comes again: its body, the
// digest of that, and the names of its caller on that day.
func (db *DB) identify(
	ctx context.Context, f Filing, today int64,
) (body, digest []byte, callers []string, err error) {
	if body, err = json.Marshal(f.Draft); err != nil {
		return nil, nil, nil, err
	}
	sum := sha256.Sum256(body)
	callers, err = db.callerNames(ctx, f.By, f.Network, today)
	return body, sum[:], callers, err
}

// traces are the hashes by which a filing is found when it comes again: one for each name of its caller, the first of
// which comes first.
type traces struct {
	bodies [][]byte
	keys   [][]byte // of its Idempotency-Key; empty without one
}

func tracesOf(callers []string, key string, digest []byte) (t traces) {
	for _, c := range callers {
		t.bodies = append(t.bodies, filingHash(c, "body", string(digest)))
		if key != "" {
			t.keys = append(t.keys, filingHash(c, "key", key))
		}
	}
	return t
}

func (t traces) all() [][]byte { return slices.Concat(t.bodies, t.keys) }

// own returns the hashes by which the filing is remembered from now on.
func (t traces) own() [][]byte { return slices.Concat(t.bodies[:1], t.keys[:min(1, len(t.keys))]) }

// earlierFiling is a filing that is remembered.
type earlierFiling struct {
	report    string // its id
	digest    string // of the body
	withdrawn bool   // by its reporter
}

// earlierFilings returns the filings that are remembered by some hashes, by these.
func earlierFilings(
	ctx context.Context, s *conn, hashes [][]byte, now tocsin.Time,
) (map[string]earlierFiling, error) {
	known := map[string]earlierFiling{}
	since := now.Micro() - filingMemory.Microseconds()
	err := among(ctx, s, `SELECT f.hash, f.body, f.at, r.id, r.status = 'withdrawn'
		FROM filing f JOIN report r ON r.seq = f.report
		WHERE r.status IN ('published', 'hidden', 'withdrawn') AND f.hash IN `, hashes, func(rows *sql.Rows) error {
		var hash, body []byte
		var at int64
		var e earlierFiling
		err := rows.Scan(&hash, &body, &at, &e.report, &e.withdrawn)
		if at > since {
			e.digest = string(body)
			known[string(hash)] = e
		}
		return err
	})
	return known, err
}

// findFiling returns the id of an earlier filing of the same thing, or "". A report that was withdrawn can be filed
// anew, but not by the Idempotency-Key that it came with: a queue that delivers twice would make it public again.
func findFiling(known map[string]earlierFiling, t traces, digest []byte) (first string, err error) {
	for _, hash := range t.bodies {
		if earlier, ok := known[string(hash)]; ok && !earlier.withdrawn {
			first = earlier.report
		}
	}
	for _, hash := range t.keys {
		switch earlier, ok := known[string(hash)]; {
		case !ok:
		case earlier.digest != string(digest):
			return "", refusedKey(tocsin.IdempotencyReuse, "This Idempotency-Key was used for another report",
				"it came with another body within the last 24 hours",
				"send a new key with a new report, the same body with the same key")
		case earlier.withdrawn:
			return "", refusedKey(tocsin.ReportWithdrawn,
				"The report with this Idempotency-Key was withdrawn by its reporter, and was not filed again",
				"it came with a report that was filed within the last 24 hours and withdrawn since",
				"if the report is to be filed anew, send it with another Idempotency-Key")
		default:
			first = earlier.report
		}
	}
	return first, nil
}

// refusedKey is the fault of an Idempotency-Key.
func refusedKey(code tocsin.Code, detail, reason, fix string) error {
	return &tocsin.Error{Code: code, Detail: detail,
		Fields: []tocsin.Fault{{Field: "Idempotency-Key", Reason: reason, Fix: fix}}}
}

func filingHash(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return h.Sum(nil)
}

// refuseSafelisted refuses a report about a site that a safelist vouches for: the
// fraud is then in a page or an account there, not in the site. A site that is
// merely popular may be reported.
func refuseSafelisted(safe map[string]bool, d *tocsin.Draft) error {
	var faults []tocsin.Fault
	for i, name := range d.ReportedDomains {
		if safe[name] {
			faults = append(
				faults,
				tocsin.Fault{
					Field:  fmt.Sprintf("reportedDomains[%d]", i),
					Reason: name + " is a well-known site, on a safelist",
					Fix: "report the host name of the fraudulent site itself; " +
						"put the address of a page or profile on " + name + " into evidence.urls",
				},
			)
		}
	}
	return tocsin.Faults(faults)
}

// CheckDraft returns the error with which a draft would be refused for the sites that it names, without filing it.
func (db *DB) CheckDraft(ctx context.Context, d *tocsin.Draft) error {
	safe, err := db.Safelisted(ctx, d.ReportedDomains)
	if err != nil {
		return err
	}
	return refuseSafelisted(safe, d)
}

// Safelisted returns which of some names are well-known sites, which may not be reported as a whole.
func (db *DB) Safelisted(ctx context.Context, names []string) (safe map[string]bool, err error) {
	err = db.read(ctx, replica, func(s *conn) error {
		safe, err = safelisted(ctx, s, names)
		return err
	})
	return safe, err
}

// safelisted returns which of some names may not be reported.
func safelisted(ctx context.Context, s *conn, names []string) (map[string]bool, error) {
	safe := map[string]bool{}
	err := among(ctx, s, `SELECT s.value, l.kind, l.category FROM subject s JOIN listing l ON l.subject = s.id
		WHERE s.kind = 'domain' AND l.kind IN ('safe', 'shared') AND l.withdrawn IS NULL AND NOT l.hidden
			AND s.value IN `, names, func(rows *sql.Rows) error {
		var name string
		var kind tocsin.ListingKind
		var category string
		err := rows.Scan(&name, &kind, &category)
		if kind == tocsin.Shared || category != tocsin.TopSite && category != tocsin.TokenSite {
			safe[name] = true
		}
		return err
	})
	return safe, err
}
