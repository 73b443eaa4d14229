package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"
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
	ManageToken string // proves to be the reporter; shown once. "" for a duplicate.
	Duplicate   bool   // the same caller filed the same report within a day: Report is the first one
}

// remember is how long a filing that comes twice is answered with the first.
const remember = 24 * time.Hour

// FileReport records a report; when it returns, the report is on disk. The same
// report by the same caller, or the same Idempotency-Key, within 24 hours gives
// the first one again; the same key with another body is a fault.
func (db *DB) FileReport(ctx context.Context, f Filing) (Filed, error) {
	body, digest, callers, err := db.identify(ctx, f)
	if err != nil {
		return Filed{}, err
	}
	id, err := tocsin.NewID("rep_", db.random)
	if err != nil {
		return Filed{}, err
	}
	token, err := newToken("man_", db.random)
	if err != nil {
		return Filed{}, err
	}

	var result Filed
	err = db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		result = Filed{}
		now := db.Now()
		first, err := findFiling(ctx, s, callers, f.IdempotencyKey, digest, now)
		if err != nil {
			return err
		}
		if first != "" {
			result = Filed{Report: tocsin.Report{ID: first}, Duplicate: true}
			return nil
		}
		if err := refuseSafelisted(ctx, s, f.Draft); err != nil {
			return err
		}
		r := row{id: id, draft: f.Draft, body: body, published: now, manage: tokenHash(token)}
		if f.By != nil {
			r.agent = f.By.id
		}
		if err := insertReport(ctx, s, &r, now); err != nil {
			return err
		}
		hashes := [][]byte{filingHash(callers[0], "body", string(digest))}
		if f.IdempotencyKey != "" {
			hashes = append(hashes, filingHash(callers[0], "key", f.IdempotencyKey))
		}
		for _, h := range hashes {
			if _, err := s.exec(ctx, `INSERT INTO filing (hash, body, report, at) VALUES ($1, $2, $3, $4)
				ON CONFLICT (hash) DO UPDATE SET body = excluded.body, report = excluded.report, at = excluded.at`,
				h, digest, r.seq, now.Micro()); err != nil {
				return err
			}
		}
		result = Filed{ManageToken: token, Report: tocsin.Report{
			ID: id, Draft: f.Draft, Status: tocsin.Published, Source: tocsin.Community, CreatedAt: r.created, PublishedAt: r.created,
		}}
		if f.By != nil {
			result.Report.Reporter = &tocsin.Reporter{ID: f.By.Agent.ID, Name: f.By.Agent.Name}
		}
		return nil
	})
	if err != nil {
		return Filed{}, err
	}
	if result.Duplicate {
		result.Report, err = db.AnyReport(ctx, result.Report.ID)
		return result, err
	}
	db.dossiers.forget(f.Draft.Subjects())
	return result, nil
}

// FiledBefore returns the first report if this filing has come before.
func (db *DB) FiledBefore(ctx context.Context, f Filing) (first tocsin.Report, found bool, err error) {
	_, digest, callers, err := db.identify(ctx, f)
	if err != nil {
		return first, false, err
	}
	id := ""
	err = db.read(ctx, primary, func(s *conn) (err error) {
		id, err = findFiling(ctx, s, callers, f.IdempotencyKey, digest, db.Now())
		return err
	})
	if err != nil || id == "" {
		return first, false, err
	}
	first, err = db.AnyReport(ctx, id)
	return first, err == nil, err
}

// identify returns what a filing is known by when it comes again: its body, the
// digest of that, and the names of its caller.
func (db *DB) identify(ctx context.Context, f Filing) (body, digest []byte, callers []string, err error) {
	if body, err = json.Marshal(f.Draft); err != nil {
		return nil, nil, nil, err
	}
	sum := sha256.Sum256(body)
	callers, err = db.callerNames(ctx, f.By, f.Network)
	return body, sum[:], callers, err
}

// findFiling looks for the id of an earlier filing of the same thing, or "".
func findFiling(ctx context.Context, s *conn, callers []string, key string, digest []byte, now tocsin.Time) (string, error) {
	var hashes []any
	for _, c := range callers {
		hashes = append(hashes, filingHash(c, "body", string(digest)))
		if key != "" {
			hashes = append(hashes, filingHash(c, "key", key))
		}
	}
	in, args := placeholders(hashes)
	found, conflict := "", false
	err := s.each(ctx, "SELECT r.id, f.body FROM filing f JOIN report r ON r.seq = f.report WHERE f.hash IN ("+in+
		fmt.Sprintf(") AND f.at > $%d AND r.status IN ('published', 'hidden')", len(args)+1),
		append(args, now.Micro()-remember.Microseconds()), func(rows *sql.Rows) error {
			var id string
			var body []byte
			if err := rows.Scan(&id, &body); err != nil {
				return err
			}
			if string(body) == string(digest) {
				found = id
			} else {
				conflict = true // only a key leads to another body
			}
			return nil
		})
	if err == nil && conflict {
		return "", &tocsin.Error{Code: tocsin.IdempotencyReuse, Detail: "This Idempotency-Key was used for another report",
			Fields: []tocsin.Fault{{Field: "Idempotency-Key", Reason: "it came with another body within the last 24 hours", Fix: "send a new key with a new report, the same body with the same key"}}}
	}
	return found, err
}

func filingHash(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return h.Sum(nil)
}

// refuseSafelisted refuses a report about a site that everybody uses: the
// fraud is then in a page or an account there, not in the site.
func refuseSafelisted(ctx context.Context, s *conn, d tocsin.Draft) error {
	var faults []tocsin.Fault
	for i, name := range d.ReportedDomains {
		var lists int
		err := s.row(ctx, `SELECT count(*) FROM subject s JOIN listing l ON l.subject = s.id
			WHERE s.kind = 'domain' AND s.value = $1 AND l.kind IN ('safe', 'shared') AND l.withdrawn IS NULL AND NOT l.hidden`, []any{name}, &lists)
		if err != nil {
			return err
		}
		if lists > 0 {
			faults = append(faults, tocsin.Fault{Field: fmt.Sprintf("reportedDomains[%d]", i), Reason: name + " is a well-known site, on a safelist",
				Fix: "report the host name of the fraudulent site itself; put the address of a page or profile on " + name + " into evidence.urls"})
		}
	}
	return tocsin.Faults(faults)
}

// row is a report on its way into the table.
type row struct {
	seq       int64
	id        string
	draft     tocsin.Draft
	body      []byte
	created   tocsin.Time // set by insertReport
	published tocsin.Time
	list      int64 // 0: filed here
	key       string
	agent     int64 // 0: anonymous
	manage    []byte
}

// insertReport records a report and what is found by it. It runs inside the
// writer's transaction, where alone "the next moment" is certain.
func insertReport(ctx context.Context, s *conn, r *row, now tocsin.Time) error {
	var last int64
	if err := s.row(ctx, "SELECT coalesce(max(created), 0) FROM report", nil, &last); err != nil {
		return err
	}
	r.created = tocsin.MicroTime(max(now.Micro(), last+1))
	if r.list == 0 {
		r.published = r.created
	}
	var err error
	r.seq, err = s.insert(ctx, `INSERT INTO report (id, created, published, list, list_key, agent, status, crime_type, body, manage)
		VALUES ($1, $2, $3, $4, $5, $6, 'published', $7, $8, $9)`,
		r.id, r.created.Micro(), r.published.Micro(), nullable(r.list), nullable(r.key), nullable(r.agent), string(r.draft.CrimeType), string(r.body), nullBytes(r.manage))
	if err != nil {
		return err
	}
	if err := index(ctx, s, r); err != nil {
		return err
	}
	return logReport(ctx, s, r.created, "filed", r.seq)
}

// index makes a report count and be found.
func index(ctx context.Context, s *conn, r *row) error {
	for _, subject := range r.draft.Subjects() {
		id, err := subjectID(ctx, s, subject)
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, `INSERT INTO report_subject (subject, report, list, agent, crime_type, published) VALUES ($1, $2, $3, $4, $5, $6)`,
			id, r.seq, nullable(r.list), nullable(r.agent), string(r.draft.CrimeType), r.published.Micro()); err != nil {
			return err
		}
	}
	d := &r.draft
	var handles []string
	for _, h := range []*string{d.SocialMedia.WhatsApp, d.SocialMedia.Telegram, d.SocialMedia.Facebook, d.SocialMedia.Other} {
		if h != nil {
			handles = append(handles, *h)
		}
	}
	project := ""
	if d.SubjectProjectName != nil {
		project = *d.SubjectProjectName
	}
	s.words = append(s.words, wordsOf{report: r.seq, title: d.Title, description: d.Description, project: project,
		subjects: strings.Join(slices.Concat(d.ScammerAddresses, d.ReportedDomains), " "), handles: strings.Join(handles, " ")})
	return nil
}

// unindex makes a report neither count nor be found.
func unindex(ctx context.Context, s *conn, r *row) error {
	for _, subject := range r.draft.Subjects() {
		if _, err := s.exec(ctx, `DELETE FROM report_subject WHERE report = $1 AND subject = (SELECT id FROM subject WHERE kind = $2 AND value = $3)`,
			r.seq, string(subject.Kind), subject.Value); err != nil {
			return err
		}
	}
	s.words = append(s.words, wordsOf{report: r.seq, gone: true})
	return nil
}

func subjectID(ctx context.Context, s *conn, subject tocsin.Subject) (id int64, err error) {
	err = s.row(ctx, "SELECT id FROM subject WHERE kind = $1 AND value = $2", []any{string(subject.Kind), subject.Value}, &id)
	if !missing(err) {
		return id, err
	}
	return s.insert(ctx, "INSERT INTO subject (kind, value) VALUES ($1, $2)", string(subject.Kind), subject.Value)
}

func logReport(ctx context.Context, s *conn, at tocsin.Time, op string, report int64) error {
	_, err := s.exec(ctx, "INSERT INTO event (at, op, report) VALUES ($1, $2, $3)", at.Micro(), op, report)
	return err
}

// Withdraw takes a report back for whoever holds its manage token. Doing it
// twice does no harm.
func (db *DB) Withdraw(ctx context.Context, id, token string) error {
	var manage []byte // it never changes, so it is looked at before anything waits for a commit
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT manage FROM report WHERE id = $1", []any{id}, &manage)
	})
	switch {
	case missing(err):
		return noReport(id)
	case err != nil:
		return err
	case len(manage) == 0 || subtle.ConstantTimeCompare(manage, tokenHash(token)) != 1:
		return &tocsin.Error{Code: tocsin.Forbidden, Detail: "The header x-manage-token does not hold the manage token of this report",
			Fields: []tocsin.Fault{{Field: "x-manage-token", Reason: "it is missing, or belongs to another report", Fix: "send the manageToken that was answered when the report was filed"}}}
	}
	return db.setStatus(ctx, id, tocsin.Withdrawn, "withdrawn", tocsin.Published, tocsin.Hidden, tocsin.Withdrawn)
}

// Hide takes a report out of sight and out of every score, for the operator.
func (db *DB) Hide(ctx context.Context, id string) error {
	return db.setStatus(ctx, id, tocsin.Hidden, "hidden", tocsin.Published, tocsin.Hidden)
}

// Restore brings a hidden report back.
func (db *DB) Restore(ctx context.Context, id string) error {
	return db.setStatus(ctx, id, tocsin.Published, "restored", tocsin.Published, tocsin.Hidden)
}

// setStatus changes a report whose status is one of from.
func (db *DB) setStatus(ctx context.Context, id string, to tocsin.Status, op string, from ...tocsin.Status) error {
	var r row
	err := db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		r = row{}
		var is tocsin.Status
		var published int64
		err := s.row(ctx, `SELECT seq, status, published, coalesce(list, 0), coalesce(agent, 0), body FROM report WHERE id = $1`, []any{id},
			&r.seq, &is, &published, &r.list, &r.agent, &r.body)
		if missing(err) {
			return noReport(id)
		}
		if err != nil {
			return err
		}
		if !slices.Contains(from, is) {
			return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("the report is %s, and stays so", is)}
		}
		if is == to {
			return nil
		}
		r.published = tocsin.MicroTime(published)
		if err := changeStatus(ctx, s, &r, is, to, op, db.Now()); err != nil || r.list == 0 {
			return err
		}
		return suspend(ctx, s, &r, to == tocsin.Hidden)
	})
	if err == nil {
		db.changed()
	}
	return err
}

// suspend takes the listings out of the score, or puts them back, by which a
// list scores what it tells in a story: they stand and fall with the story, as
// long as no other story of the list names the subject.
func suspend(ctx context.Context, s *conn, r *row, hidden bool) error {
	for _, subject := range r.draft.Subjects() {
		_, err := s.exec(ctx, `UPDATE listing SET hidden = $1 WHERE list = $2 AND kind = 'risk'
			AND subject = (SELECT id FROM subject WHERE kind = $3 AND value = $4)
			AND NOT EXISTS (SELECT 1 FROM report_subject rs WHERE $1 AND rs.subject = listing.subject AND rs.list = listing.list)`,
			hidden, r.list, string(subject.Kind), subject.Value)
		if err != nil {
			return err
		}
	}
	return nil
}

func changeStatus(ctx context.Context, s *conn, r *row, from, to tocsin.Status, op string, now tocsin.Time) error {
	if err := json.Unmarshal(r.body, &r.draft); err != nil {
		return err
	}
	if _, err := s.exec(ctx, "UPDATE report SET status = $1 WHERE seq = $2", string(to), r.seq); err != nil {
		return err
	}
	if to == tocsin.Published {
		if err := index(ctx, s, r); err != nil {
			return err
		}
	} else if from == tocsin.Published {
		if err := unindex(ctx, s, r); err != nil {
			return err
		}
	}
	return logReport(ctx, s, now, op, r.seq)
}

// newToken makes a secret of 160 bits that begins with what it is for.
func newToken(prefix string, random io.Reader) (string, error) {
	key, err := tocsin.NewKey(random)
	if err != nil {
		return "", err
	}
	return prefix + strings.TrimPrefix(string(key), "toc_"), nil
}

func tokenHash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// salts are the keys under which networks are hashed: one a day, forgotten
// after two, so that nobody can tell later who filed what.
type salts struct {
	mu   sync.Mutex
	day  int64
	keys [2][]byte // of today and of yesterday
}

// callerNames returns the names by which a caller is told from others: of an
// agent its id; of the anonymous the hash of their network under today's salt
// and, so that a day's memory survives midnight, under yesterday's.
func (db *DB) callerNames(ctx context.Context, by *Caller, network netip.Prefix) ([]string, error) {
	if by != nil {
		return []string{"agent " + by.Agent.ID}, nil
	}
	keys, err := db.saltsOf(ctx, day(db.Now()))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		mac := hmac.New(sha256.New, k)
		mac.Write([]byte(network.String()))
		names[i] = "network " + string(mac.Sum(nil))
	}
	return names, nil
}

func (db *DB) saltsOf(ctx context.Context, today int64) ([2][]byte, error) {
	db.salts.mu.Lock()
	defer db.salts.mu.Unlock()
	if db.salts.day == today && db.salts.keys[0] != nil {
		return db.salts.keys, nil
	}
	var keys [2][]byte
	err := db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		for i := range keys {
			name := salt(today - int64(i))
			fresh := make([]byte, 32)
			if _, err := io.ReadFull(db.random, fresh); err != nil {
				return err
			}
			if _, err := s.exec(ctx, "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, fresh); err != nil {
				return err
			}
			if err := s.row(ctx, "SELECT value FROM meta WHERE name = $1", []any{name}, &keys[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		db.salts.day, db.salts.keys = today, keys
	}
	return keys, err
}

// forget deletes what must not be kept longer than it is needed: the salts of
// the days before yesterday, the memory of filings over a day old, and sessions
// that have ended.
func (db *DB) forget(ctx context.Context, s *conn) error {
	now := db.Now()
	today := day(now)
	return s.transact(ctx, beginWrite(accounts), func() error {
		if _, err := s.exec(ctx, "DELETE FROM meta WHERE name LIKE 'salt %' AND name NOT IN ($1, $2)", salt(today), salt(today-1)); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "DELETE FROM session WHERE expires <= $1", now.Micro()); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM filing WHERE at <= $1", now.Micro()-remember.Microseconds())
		return err
	})
}

func salt(day int64) string { return fmt.Sprintf("salt %d", day) }

// day numbers the days of UTC since 1970.
func day(t tocsin.Time) int64 { return t.Micro() / (24 * time.Hour).Microseconds() }

func nullable[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func nullBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
