package store

import (
	"context"
	"database/sql"
	"fmt"

	"tocsin"
)

// AgentRecord is what the database has about an agent beside the log of acts, for whoever asks what is kept.
type AgentRecord struct {
	AgentInfo
	OfKeys    []KeyRecord  `json:"apiKeys"`
	OfDays    []DayOfCalls `json:"callsByDay"`
	Sessions  int          `json:"sessions"`  // browsers that are signed in to the site
	OfReports []string     `json:"reportIds"` // of any status
	Payments  []Payment    `json:"payments"`  // made with its key or from its wallet
}

// KeyRecord is what is kept of one key.
type KeyRecord struct {
	Prefix  string       `json:"prefix"`
	Quota   *int64       `json:"quota"` // free calls a day; nil for the server's
	Created tocsin.Time  `json:"createdAt"`
	Revoked *tocsin.Time `json:"revokedAt"`
}

// DayOfCalls is how many calls of an agent were answered on a day.
type DayOfCalls struct {
	Day  string `json:"day"` // UTC; "" for all days before, see [Keep]
	Used int    `json:"used"`
}

// AgentRecord returns what is on record about the agent with a public id or of a wallet. The error is NotFound if there
// is none.
func (db *DB) AgentRecord(ctx context.Context, name string) (r AgentRecord, err error) {
	if r.AgentInfo, err = db.FindAgent(ctx, name); err != nil {
		return r, err
	}
	err = db.read(ctx, primary, func(s *conn) error {
		r.OfKeys, r.OfDays, r.OfReports, r.Payments = []KeyRecord{}, []DayOfCalls{}, []string{}, []Payment{}
		of := []any{r.ID}
		for _, q := range []struct {
			query string
			scan  func(rows *sql.Rows) error
		}{
			{`SELECT k.prefix, k.quota, k.created, k.revoked FROM key k JOIN agent a ON a.id = k.agent WHERE a.public = $1
				ORDER BY k.created`, func(rows *sql.Rows) error {
				var k KeyRecord
				var created int64
				var revoked sql.NullInt64
				err := rows.Scan(&k.Prefix, &k.Quota, &created, &revoked)
				if k.Created = tocsin.MicroTime(created); revoked.Valid {
					at := tocsin.MicroTime(revoked.Int64)
					k.Revoked = &at
				}
				r.OfKeys = append(r.OfKeys, k)
				return err
			}},
			{`SELECT u.day, u.used FROM usage u JOIN agent a ON a.id = u.agent WHERE a.public = $1 AND u.used > 0
				ORDER BY u.day`, func(rows *sql.Rows) error {
				var d DayOfCalls
				var number int64
				err := rows.Scan(&number, &d.Used)
				if number > 0 {
					d.Day = tocsin.MicroTime(number * 86_400_000_000).String()[:10]
				}
				r.OfDays = append(r.OfDays, d)
				return err
			}},
			{"SELECT count(*) FROM session s JOIN agent a ON a.id = s.agent WHERE a.public = $1",
				func(rows *sql.Rows) error { return rows.Scan(&r.Sessions) }},
			{"SELECT r.id FROM report r JOIN agent a ON a.id = r.agent WHERE a.public = $1 ORDER BY r.seq",
				func(rows *sql.Rows) error {
					var id string
					err := rows.Scan(&id)
					r.OfReports = append(r.OfReports, id)
					return err
				}},
			{"SELECT " + paymentColumns + ` FROM claim WHERE agent = (SELECT id FROM agent WHERE public = $1)
				OR lower(payer) = (SELECT address FROM agent WHERE public = $1) ORDER BY seq`, func(rows *sql.Rows) error {
				p, _, err := scanPayment(rows)
				r.Payments = append(r.Payments, p)
				return err
			}},
		} {
			if err := s.each(ctx, q.query, of, q.scan); err != nil {
				return err
			}
		}
		return nil
	})
	return r, err
}

// Erasable returns why an agent cannot be erased, nil if it can: without its wallet a ban would end.
func (a AgentInfo) Erasable() error {
	if a.Banned == nil {
		return nil
	}
	return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("%s is banned, and the ban needs its wallet: unban it "+
		"first, or erase it when the ban is not needed any more", a.ID)}
}

// EraseAgent removes what says whose an agent is, for good: its wallet, its name, its keys, its sessions, its calls by
// day, and that payments were made with its key. Its id stays with its reports, which count as before. Payments stay
// for as long as [Keep] says, with the wallet that paid. The error for an agent that is banned is [AgentInfo.Erasable].
//
// The file is rewritten as by [DB.Erase], and an error after the agent was erased says so likewise.
func (db *DB) EraseAgent(ctx context.Context, by Operator, agent string) error {
	a := act{by: by, action: ErasedAgent}
	err := db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		var id int64
		var banned sql.NullInt64
		err := s.row(ctx, "SELECT id, banned FROM agent WHERE public = $1", []any{agent}, &id, &banned)
		switch {
		case missing(err):
			return notFound("there is no agent %.50q", agent)
		case err != nil:
			return err
		case banned.Valid:
			at := tocsin.MicroTime(banned.Int64)
			return AgentInfo{Agent: tocsin.Agent{ID: agent}, Banned: &at}.Erasable()
		}
		now := db.Now()
		if err := logRenamed(ctx, s, now, id, ""); err != nil {
			return err
		}
		for _, query := range []string{
			"DELETE FROM session WHERE agent = $1",
			"DELETE FROM key WHERE agent = $1",
			"DELETE FROM usage WHERE agent = $1",
			"UPDATE claim SET agent = NULL WHERE agent = $1",
			"UPDATE agent SET address = NULL, name = NULL WHERE id = $1",
		} {
			if _, err := s.exec(ctx, query, id); err != nil {
				return err
			}
		}
		_, err = a.log(ctx, s, now, agent)
		return err
	})
	db.callers.invalidate()
	if err != nil {
		return err
	}
	if err = db.dialect.rewrite(ctx); err != nil {
		err = fmt.Errorf("the agent is erased, but traces of it may be left in the database file: run `tocsin agent erase "+
			"-yes %s` again, with a -reason (it has no wallet any more to name it by): %w", agent,
			Explain(err, db.dialect.path()))
	}
	return err
}
