package store

import (
	"context"
	"sync"
)

// spending gathers the free calls that are to be taken with the next commit.
// Those of one agent are counted in one statement, however many there are.
type spending struct {
	mu   sync.Mutex
	next *purse // nil: nobody is waiting
}

// purse is what one commit takes.
type purse struct {
	day     int64
	tickets map[int64][]*ticket // by agent, in the order in which they came
	done    chan struct{}       // closed when err and the tickets are final
	err     error
}

type ticket struct {
	limit, used int
	granted     bool
}

// Spend takes one free call of today, if fewer than limit are used, and returns
// how many are used then. The count is exact however many calls are made at
// once and by however many processes, and survives the death of this one.
func (db *DB) Spend(ctx context.Context, c *Caller, limit int) (used int, ok bool, err error) {
	if err := ctx.Err(); err != nil || limit <= 0 {
		return 0, false, err
	}
	t, today := &ticket{limit: limit}, day(db.Now())
	db.spending.mu.Lock()
	p := db.spending.next
	first := p == nil || p.day != today
	if first {
		p = &purse{day: today, tickets: map[int64][]*ticket{}, done: make(chan struct{})}
		db.spending.next = p
	}
	p.tickets[c.id] = append(p.tickets[c.id], t)
	db.spending.mu.Unlock()
	if first { // whoever comes first carries the purse for all
		p.err = db.write(context.WithoutCancel(ctx), accounts, false, func(ctx context.Context, s *conn) error {
			db.spending.mu.Lock()
			if db.spending.next == p {
				db.spending.next = nil // who comes now waits for the next commit
			}
			db.spending.mu.Unlock()
			return p.take(ctx, s)
		})
		close(p.done)
	} else {
		<-p.done
	}
	return t.used, t.granted, p.err
}

// take grants as many calls of each agent as there are left.
func (p *purse) take(ctx context.Context, s *conn) error {
	for agent, tickets := range p.tickets {
		used := 0
		err := s.row(ctx, "SELECT used FROM usage WHERE agent = $1 AND day = $2", []any{agent, p.day}, &used)
		if err != nil && !missing(err) {
			return err
		}
		for _, t := range tickets {
			if t.granted = used < t.limit; t.granted {
				used++
			}
			t.used = used
		}
		if _, err := s.exec(ctx, "INSERT INTO usage (agent, day, used) VALUES ($1, $2, $3) ON CONFLICT (agent, day) DO UPDATE SET used = excluded.used",
			agent, p.day, used); err != nil {
			return err
		}
	}
	return nil
}
