package store

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"tocsin"
)

// TestFilingsThatShareACommitAreAsOneAfterTheOther: what is recorded, and what is answered, does not depend on how many
// filings are recorded together.
func TestFilingsThatShareACommitAreAsOneAfterTheOther(t *testing.T) {
	after := func(together bool) (all []string) {
		s := fresh(t)
		a, b, banned := s.agent(t), s.agent(t), s.agent(t)
		safe := listing(tocsin.Subject{Kind: tocsin.DNS, Value: "safe.com"}, nil)
		safe.Listing.Kind = tocsin.Safe
		s.imports(t, "safelist", safe)
		s.files(t, story(t, "Earlier", "known.com"), nil)
		_, err := s.Ban(t.Context(), warden, banned.Agent.ID)
		do(t, err)
		do(t, s.write(t.Context(), evidence, false, func(ctx context.Context, c *conn) error { // it is proven
			_, err := c.exec(ctx, `INSERT INTO standing (agent, kind, until, confirmed, missed)
				VALUES ($1, 'domain', $2, 1000, 5)`, b.id, noon.Add(tocsin.ProofWindow).UnixMicro())
			return err
		}))
		file := func(by *Caller, key, title string, names ...string) Filing {
			return Filing{Draft: story(t, title, names...), By: by, Network: network, IdempotencyKey: key}
		}
		const key = "a key of 16 bytes or more"
		filings := []Filing{
			file(a, "", "Earlier", "known.com"), // of another caller than the first
			file(nil, "", "Earlier", "known.com"),
			file(nil, "", "A", "evil.com", "below.evil.com"),
			file(a, "", "A", "evil.com"),
			file(a, "", "A", "evil.com"),
			file(a, key, "B", "new.com", "other.com"),
			file(b, key, "B", "new.com"),
			file(a, key, "C", "new.com"),
			file(a, key, "B", "new.com", "other.com"),
			file(nil, "", "D", "safe.com"),
			file(banned, "", "E", "never.com"),
			file(b, "", "F", "x.owned.com", "owned.com"),
			file(nil, "", "G", "y.late.com"),
			file(b, "", "H", "late.com"),
			file(a, "", "I", "evil.com"),
		}
		var pending []*pending
		for _, f := range filings {
			p, err := s.prepare(t.Context(), f)
			do(t, err)
			pending = append(pending, p)
		}
		size := 1
		if together {
			size = len(pending)
		}
		for from := 0; from < len(pending); from += size {
			do(t, s.write(t.Context(), evidence, true, func(ctx context.Context, c *conn) error {
				return s.record(ctx, c, pending[from:from+size])
			}))
		}
		place := map[string]int{} // of a report among the filings, from 1; 0: it is the earlier one
		for i, p := range pending {
			place[p.id] = i + 1
			repeats := ""
			if p.first != "" {
				repeats = fmt.Sprint("repeats ", place[p.first])
			}
			all = append(all, fmt.Sprint(p.draft.Title, ": ", repeats, codeOf(p.refused)))
		}
		do(t, s.read(t.Context(), primary, func(c *conn) error {
			for _, query := range []string{
				`SELECT s.value || ' ' || n.agent || ' ' || n.first || ' ' || n.last || ' ' || coalesce(n.owner, '') || ' ' ||
					n.counts FROM named n JOIN subject s ON s.id = n.subject ORDER BY 1`,
				`SELECT e.op || ' ' || s.value || ' ' || e.at || ' ' || coalesce(a.id, 0) FROM event e
					JOIN subject s ON s.id = e.subject LEFT JOIN report r ON r.seq = e.report LEFT JOIN agent a ON a.id = r.agent
					WHERE e.op = 'filed' ORDER BY e.seq`,
				"SELECT kind || ' ' || agent || ' missed ' || missed FROM standing",
				"SELECT 'remembered ' || count(*) FROM filing",
				"SELECT 'of a network ' || count(*) FROM origin",
			} {
				err := c.each(t.Context(), query, nil, func(rows *sql.Rows) error {
					var text string
					err := rows.Scan(&text)
					all = append(all, text)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
		return all
	}
	apart := after(false)
	equal(t, "together", after(true), apart)
	equal(t, "apart", apart[:15], []string{"Earlier: ", "Earlier: repeats 0", "A: ", "A: ", "A: repeats 4", "B: ", "B: ",
		"C: idempotency_reuse", "B: repeats 6", "D: invalid_input", "E: banned", "F: ", "G: ", "H: ", "I: "})
}

// TestAFilingWhoseCallerHasGoneIsNotAcknowledged: it is left out of its group.
func TestAFilingWhoseCallerHasGoneIsNotAcknowledged(t *testing.T) {
	s := fresh(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	var group []*job
	for i, ctx := range []context.Context{t.Context(), gone, t.Context()} {
		p, err := s.prepare(t.Context(), Filing{Draft: story(t, fmt.Sprint("Filing ", i), "evil.com"), Network: network})
		do(t, err)
		group = append(group, &job{ctx: ctx, lane: evidence, durable: true, filing: p})
	}
	c, err := s.dialect.connect(t.Context())
	do(t, err)
	defer c.close()
	do(t, s.commit(t.Context(), c, group))
	equal(t, "acknowledged", []error{group[0].err, group[1].err, group[2].err}, []error{nil, context.Canceled, nil})
	equal(t, "recorded", count(t, s.DB, "report"), 2)
}
