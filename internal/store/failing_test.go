package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tocsin"
)

// sabotage makes the n-th statement that act runs fail, the beginnings and ends
// of transactions among them. It reports whether there are that many.
func (s *shelf) sabotage(t *testing.T, n int, act func()) (failed bool) {
	t.Helper()
	var mu sync.Mutex // the connections share the count
	watch := func(c *conn) {
		inside := false // a transaction: when the writer looks at the log in between, nobody waits for it
		c.ran = func(query string) error {
			mu.Lock()
			defer mu.Unlock()
			if inside = inside || strings.HasPrefix(query, "BEGIN"); !inside || query == "ROLLBACK" {
				inside = false
				return nil
			}
			inside = query != "COMMIT"
			if n--; n == 0 {
				failed = true
				return errors.New("sabotage")
			}
			return nil
		}
	}
	each := func(change func(*conn)) {
		t.Helper()
		var all []*conn
		for range readers {
			all = append(all, <-s.readers)
		}
		for _, c := range all {
			change(c)
			s.readers <- c
		}
		for l := range lane(s.dialect.lanes()) {
			do(t, s.await(&job{ctx: t.Context(), lane: l, always: true, // while the database is read-only, too
				do: func(_ context.Context, c *conn) error { change(c); return nil }}))
		}
	}
	each(watch)
	act()
	mu.Lock()
	n = 0 // from here on nothing fails
	mu.Unlock()
	each(func(c *conn) { c.ran = nil })
	return failed
}

// contents is everything in the tables.
func (s *shelf) contents(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	do(t, s.read(t.Context(), primary, func(c *conn) error {
		var tables []string
		err := c.each(t.Context(), tableNames(), nil, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			tables = append(tables, name)
			return err
		})
		for _, name := range tables {
			if err != nil {
				break
			}
			err = c.each(t.Context(), "SELECT * FROM "+name, nil, func(rows *sql.Rows) error {
				columns, err := rows.Columns()
				if err != nil {
					return err
				}
				values, into := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					into[i] = &values[i]
				}
				err = rows.Scan(into...)
				for i, v := range values {
					if raw, ok := v.([]byte); ok {
						values[i] = strconv.Quote(string(raw))
					}
				}
				fmt.Fprintln(&text, name, values)
				return err
			})
		}
		return err
	}))
	return text.String()
}

// hearsOf prepares a call again and again, and makes another of its statements
// fail each time until all have. With whole nothing of such a call may be left.
func (s *shelf) hearsOf(t *testing.T, about string, whole bool, prepare func(n int) (call func() error)) {
	t.Helper()
	for n := 1; ; n++ {
		call := prepare(n)
		s.sleep(20 * time.Second) // longer than any answer is remembered
		s.dossiers.clear()
		s.callers.invalidate()
		before := s.contents(t)
		var err error
		failed := s.sabotage(t, n, func() { err = call() })
		if !failed {
			if err != nil || n == 1 {
				t.Errorf("%s: nothing has failed: %v", about, err)
			}
			return
		}
		if err == nil {
			t.Errorf("%s: nobody hears that statement %d has failed", about, n)
		} else if whole && s.contents(t) != before {
			t.Errorf("%s: statement %d has failed, and something is left of it", about, n)
		}
	}
}

// TestOfAWriteThatFailsNothingIsLeftAndItsCallerHearsOfIt: whichever of its
// statements has failed.
func TestOfAWriteThatFailsNothingIsLeftAndItsCallerHearsOfIt(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	a := s.agent(t)
	for _, by := range []*Caller{nil, a} { // makes the salts of the day, and the secret of networks
		s.files(t, story(t, "A drainer", "evil.com"), by)
	}
	wallet := tocsin.Address{19: 2}
	number := byte(0)
	report := func(by *Caller) Filed {
		number++
		return s.files(t, story(t, fmt.Sprint("Filed ", number), "evil.com", "worse.com"), by)
	}
	session := func() string {
		token, err := s.NewSession(ctx, wallet, 24*time.Hour)
		do(t, err)
		return token
	}
	key := func() tocsin.Key {
		made, err := s.CreateKey(ctx, &wallet, "", nil)
		do(t, err)
		return made.Key
	}
	claim := func() *Claim {
		number++
		c := claimOf(number, 1)
		c.Identifier = fmt.Sprint("name ", number)
		return c
	}
	begun := func() *Claim {
		c := claims(t, s.DB, claim(), Acquired)
		s.Unlock(c) // so that the writer does not renew its lease meanwhile
		return c
	}
	sent := func() *Claim {
		c := begun()
		settle(t, s.DB, c)
		return c
	}
	for about, prepare := range map[string]func(n int) func() error{
		"file": func(n int) func() error {
			f := Filing{
				Draft:          story(t, fmt.Sprint("New ", n), "evil.com", "new.com"),
				By:             s.agent(t),
				Network:        network,
				IdempotencyKey: fmt.Sprint(n),
			}
			_, err := s.manageToken(ctx, &f, "rep_1") // what tokens are derived from stays
			do(t, err)
			s.networkSecret.key = nil // as after a restart
			return func() error { _, err := s.FileReport(ctx, f); return err }
		},
		"file again": func(int) func() error {
			f := Filing{Draft: story(t, "A drainer", "evil.com"), Network: network}
			s.salts.keys[0] = nil // as after a restart
			return func() error { _, err := s.FileReport(ctx, f); return err }
		},
		"hide": func(int) func() error {
			id := report(a).Report.ID
			return func() error { return s.Hide(ctx, Operator{}, id) }
		},
		"restore": func(int) func() error {
			id := report(nil).Report.ID
			do(t, s.Hide(ctx, Operator{}, id))
			return func() error { return s.Restore(ctx, Operator{}, id) }
		},
		"withdraw": func(int) func() error {
			f := report(a)
			return func() error { return s.Replace(ctx, f.Report.ID, f.ManageToken, "rep_next") }
		},
		"hide a story": func(n int) func() error {
			name := tocsin.Subject{Kind: tocsin.DNS, Value: fmt.Sprintf("n%d.com", n)}
			s.imports(t, fmt.Sprint("list ", n), listing(name, nil), told(story(t, "a", name.Value), "1"))
			id := dossier(t, s.DB, name).Reports[0].ID
			return func() error { return s.Hide(ctx, Operator{}, id) }
		},
		"create a key": func(int) func() error {
			return func() error { _, err := s.CreateKey(ctx, nil, "", nil); return err }
		},
		"create a key for somebody": func(int) func() error {
			return func() error { _, err := s.IssueKey(ctx, Operator{}, nil, "", nil); return err }
		},
		"lift a ban": func(int) func() error {
			by := s.agent(t)
			do(t, second(s.Ban(ctx, Operator{}, by.Agent.ID)))
			return func() error { _, err := s.Unban(ctx, Operator{}, by.Agent.ID); return err }
		},
		"name an agent": func(n int) func() error {
			return func() error { _, err := s.CreateKey(ctx, &wallet, fmt.Sprint("Name ", n), nil); return err }
		},
		"renew a key": func(int) func() error {
			return func() error { _, err := s.RenewKey(ctx, wallet); return err }
		},
		"find the key of a wallet": func(int) func() error {
			key()
			return func() error { _, err := s.CallerOf(ctx, wallet); return err }
		},
		"revoke a key": func(int) func() error {
			text := string(key())
			return func() error { _, err := s.RevokeKey(ctx, Operator{}, text); return err }
		},
		"revoke one's own key": func(int) func() error {
			by, err := s.Caller(ctx, key())
			do(t, err)
			keep := session()
			session()
			return func() error { return s.Revoke(ctx, by, keep) }
		},
		"issue a nonce": func(int) func() error {
			return func() error { _, _, err := s.NewNonce(ctx, time.Hour); return err }
		},
		"use a nonce": func(int) func() error {
			nonce, _, err := s.NewNonce(ctx, time.Hour)
			do(t, err)
			return func() error { _, err := s.UseNonce(ctx, nonce); return err }
		},
		"sign in": func(int) func() error {
			return func() error { _, err := s.NewSession(ctx, wallet, time.Hour); return err }
		},
		"sign out": func(int) func() error {
			token := session()
			return func() error { return s.EndSession(ctx, token) }
		},
		"take a free call": func(int) func() error {
			return func() error { _, _, err := s.Spend(ctx, a, 1000); return err }
		},
		"claim": func(int) func() error {
			c := claim()
			return func() error { _, err := s.Claim(ctx, c, true); s.Unlock(c); return err }
		},
		"claim under a name that is used": func(int) func() error {
			c := claim()
			c.Identifier = begun().Identifier
			return func() error { _, err := s.Claim(ctx, c, true); s.Unlock(c); return err }
		},
		"continue a claim": func(int) func() error {
			c := sent()
			do(t, s.Postpone(ctx, c, 0))
			return func() error { _, err := s.Claim(ctx, c, false); s.Unlock(c); return err }
		},
		"begin a settlement": func(int) func() error {
			c := begun()
			return func() error { _, err := s.BeginSettlement(ctx, c); return err }
		},
		"postpone": func(int) func() error {
			c := sent()
			return func() error { return s.Postpone(ctx, c, time.Minute) }
		},
		"release": func(int) func() error {
			c := begun()
			return func() error { return s.Release(ctx, c) }
		},
		"prune claims": func(int) func() error {
			begun()
			return func() error { return s.PruneClaims(ctx) }
		},
	} {
		s.hearsOf(t, about, true, prepare)
	}
}

// TestAReadThatFailsSaysSo: whichever of its statements has failed. An import is
// several writes, of which the first may be left.
func TestAReadThatFailsSaysSo(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	a := s.agent(t)
	wallet := tocsin.Address{19: 2}
	token, err := s.NewSession(ctx, wallet, 24*time.Hour)
	do(t, err)
	made, err := s.CreateKey(ctx, &wallet, "", nil)
	do(t, err)
	first := s.files(t, story(t, "A drainer", "www.evil.com"), a).Report
	s.imports(t, "list", listing(evil, nil), told(story(t, "Told", "evil.com"), "1"))
	domain, fault := tocsin.ParseDomain("www.evil.com")
	if fault != nil {
		t.Fatal(fault)
	}
	c := claims(t, s.DB, claimOf(1, 1), Acquired)
	settle(t, s.DB, c)
	s.Settled(ctx, c, func(err error) { t.Error(err) })
	s.Unlock(c)
	claims(t, s.DB, claimOf(1, 2), UsedElsewhere) // behind what nobody waited for
	named := claimOf(2, 1)
	named.Identifier = "a name"
	epoch := tocsin.MicroTime(0)
	page, terms := Page{Limit: 5}, []tocsin.Term{{Text: "drainer"}}
	for about, read := range map[string]func() error{
		"address":  func() error { _, err := s.About(ctx, wallet, page); return err },
		"domain":   func() error { _, err := s.AboutDomain(ctx, domain, page); return err },
		"subject":  func() error { _, err := s.AboutSubject(ctx, evil, page); return err },
		"batch":    func() error { _, err := s.AboutAll(ctx, []tocsin.Subject{wallet.Subject()}); return err },
		"newest":   func() error { _, err := s.Reports(ctx, Filter{Source: "list", Page: page}); return err },
		"since":    func() error { _, err := s.Reports(ctx, Filter{Since: &epoch, Page: page}); return err },
		"report":   func() error { _, err := s.Report(ctx, first.ID); return err },
		"search":   func() error { _, err := s.Search(ctx, terms, tocsin.Phishing, page); return err },
		"changes":  func() error { _, err := s.Changes(ctx, 0, 5); return err },
		"account":  func() error { _, err := s.Account(ctx, a.Agent); return err },
		"board":    func() error { _, err := s.Leaderboard(ctx); return err },
		"stats":    func() error { _, err := s.Stats(ctx); return err },
		"keys":     func() error { _, err := s.Keys(ctx); return err },
		"caller":   func() error { _, err := s.Caller(ctx, made.Key); return err },
		"session":  func() error { _, err := s.Session(ctx, token); return err },
		"payments": func() error { _, err := s.Payments(ctx, epoch, func(Payment) error { return nil }); return err },
		"due":      func() error { _, err := s.DueClaims(ctx, 5); return err },
		"claim":    func() error { _, err := s.Claim(ctx, named, false); return err },
		"imported": func() error { _, err := s.Imported(ctx, "list"); return err },
		"filed before": func() error {
			_, _, err := s.FiledBefore(ctx, Filing{Draft: first.Draft, By: a})
			return err
		},
		"known of a list": func() error { _, err := s.Import(ctx, tocsin.List{Name: "list"}); return err },
	} {
		s.hearsOf(t, about, true, func(int) func() error { return read })
	}
	later := tocsin.TimeOf(noon.Add(72 * time.Hour))
	s.hearsOf(t, "import", false, func(n int) func() error {
		name, family := fmt.Sprintf("n%d.com", n), fmt.Sprint("list ", n)
		s.files(t, story(t, "Filed", name), a)
		listed := tocsin.Subject{Kind: tocsin.DNS, Value: name}
		s.imports(t, family, listing(worse, nil), listing(evil, nil), told(story(t, "a", name), "1"))
		im, err := s.Import(ctx, tocsin.List{Name: family, Family: "another"})
		do(t, err)
		entries := []tocsin.Entry{listing(listed, &later), listing(worse, nil), told(story(t, "b", name, "new-"+name), "1")}
		entries[1].Listing.Category = "scam"
		for _, e := range entries {
			do(t, im.Add(e))
		}
		return func() error { _, err := im.Finish(ctx, true, nil); return err }
	})
}

// TestRowsThatBreakOffAreAnError: the first of them would pass for all.
func TestRowsThatBreakOffAreAnError(t *testing.T) {
	s := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.read(t.Context(), primary, func(c *conn) error {
		const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
		return c.each(ctx, endless, nil, func(*sql.Rows) error {
			cancel()
			return nil
		})
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
