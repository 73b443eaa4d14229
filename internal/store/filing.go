package store

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
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
		return newToken("man_", db.random)
	}
	key, err := db.secret(ctx, &db.manageSecret, metaTokens)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(filingHash(id, f.IdempotencyKey))
	return newToken("man_", bytes.NewReader(mac.Sum(nil)))
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
// another body is a fault. So are a banned
// agent ([tocsin.AgentBanned]) and a filing that is not taken at the moment
// ([tocsin.FilingClosed], [tocsin.FilingNeedsKey]).
func (db *DB) FileReport(ctx context.Context, f Filing) (Filed, error) {
	today := day(db.Now())
	body, digest, callers, err := db.identify(ctx, f, today)
	if err != nil {
		return Filed{}, err
	}
	id, err := tocsin.NewID("rep_", db.random)
	if err != nil {
		return Filed{}, err
	}
	token, err := db.manageToken(ctx, &f, id)
	if err != nil {
		return Filed{}, err
	}
	number := 0
	if f.By != nil {
		if number, err = db.networkNumber(ctx, f.Network); err != nil {
			return Filed{}, err
		}
	}

	var result Filed
	err = db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		result = Filed{}
		now := db.Now()
		if f.By != nil { // its key may be remembered from before it was banned
			if err := refuseBanned(ctx, s, f.By.id); err != nil {
				return err
			}
		}
		first, err := findFiling(ctx, s, callers, f.IdempotencyKey, digest, now)
		if err != nil {
			return err
		}
		if first != "" {
			result = Filed{Report: tocsin.Report{ID: first}, Duplicate: true}
			return nil
		}
		if err := refuseFiling(ctx, s, f.By); err != nil {
			return err
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
		if err := recordNamed(ctx, s, &r); err != nil {
			return err
		}
		if r.agent != 0 {
			if err := errors.Join(setNetwork(ctx, s, r.agent, number, now), openClaims(ctx, s, &r, now)); err != nil {
				return err
			}
		} else if err := recordOrigin(ctx, s, r.seq, today, callers); err != nil {
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
			ID:          id,
			Draft:       f.Draft,
			Status:      tocsin.Published,
			Source:      tocsin.Community,
			CreatedAt:   r.created,
			PublishedAt: &r.created,
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
		return db.filedBefore(ctx, &f, result.Report.ID)
	}
	return result, nil
}

// FiledBefore returns the first report if this filing has come before.
func (db *DB) FiledBefore(ctx context.Context, f Filing) (first Filed, found bool, err error) {
	_, digest, callers, err := db.identify(ctx, f, day(db.Now()))
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

// findFiling looks for the id of an earlier filing of the same thing, or "".
func findFiling(
	ctx context.Context,
	s *conn,
	callers []string,
	key string,
	digest []byte,
	now tocsin.Time,
) (string, error) {
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
		append(args, now.Micro()-filingMemory.Microseconds()), func(rows *sql.Rows) error {
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
		return "", &tocsin.Error{
			Code:   tocsin.IdempotencyReuse,
			Detail: "This Idempotency-Key was used for another report",
			Fields: []tocsin.Fault{
				{
					Field:  "Idempotency-Key",
					Reason: "it came with another body within the last 24 hours",
					Fix:    "send a new key with a new report, the same body with the same key",
				},
			},
		}
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

// refuseSafelisted refuses a report about a site that a safelist vouches for: the
// fraud is then in a page or an account there, not in the site. A site that is
// merely popular may be reported.
func refuseSafelisted(ctx context.Context, s *conn, d tocsin.Draft) error {
	var faults []tocsin.Fault
	for i, name := range d.ReportedDomains {
		var lists int
		err := s.row(ctx, `SELECT count(*) FROM subject s JOIN listing l ON l.subject = s.id
			WHERE s.kind = 'domain' AND s.value = $1 AND l.withdrawn IS NULL AND NOT l.hidden
				AND (l.kind = 'shared' OR l.kind = 'safe' AND l.category NOT IN ($2, $3))`,
			[]any{name, tocsin.TopSite, tocsin.TokenSite}, &lists)
		if err != nil {
			return err
		}
		if lists > 0 {
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
