// Package store keeps Tocsin's records. It holds the only SQL of the program;
// its methods are what the business does: FileReport, About, Spend.
//
// Reads run in snapshots on a few connections. Writes go through one
// connection, on PostgreSQL through one for each lane, that commits them in
// groups (see write), which is what makes them both durable and quick.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/limits"
)

// readers is how many snapshots may be read at once.
const readers = 6

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	dialect  dialect
	name     string
	readers  chan *conn
	searches *limits.Slots // a search may take long: not all readers may be at one
	jobs     [2]chan *job  // by lane; the same one if the dialect has one writer
	now      func() time.Time
	random   io.Reader
	keep     Keep
	failed   func(task string, err error) // see [Options.Failed]

	dossiers dossiers
	model    model
	callers  callers
	quota    quotaQueue
	summary  memo[Stats]
	subjects atomic.Pointer[subjectCount] // for the summary
	board    memo[[]Rank]
	salts    salts
	leases   leases

	networkSecret keptSecret
	manageSecret  keptSecret // under which manage tokens are derived

	log       eventLog
	namesakes atomic.Pointer[namesakes]
	lists     followedLists
	noted     tocsin.Time // the writer's: when noteTime last wrote

	readOnly   bool // by [Options.ReadOnly]
	health     *health.Board
	damage     atomic.Pointer[error]  // the last one that says that the database is damaged
	failing    atomic.Bool            // the last write that ended has failed
	fileFault  atomic.Pointer[Outage] // nil: the file is the database
	clockFault atomic.Pointer[Outage] // nil: the clock is trusted
	clock      wallClock
	elapsed    func() time.Duration // nil: jumps of the clock are not looked for
	monotonic  func() time.Duration // since some moment, see monotonicClock

	waiting             atomic.Int64  // writes
	writesEnded, groups atomic.Uint64 // see Condition

	writes func(durable bool) // for tests: called before each write

	closed chan struct{}
	close  func() error
}

// Options are what a DB takes from outside. The zero value is the real world.
type Options struct {
	Now    func() time.Time // the clock; nil means time.Now
	Random io.Reader        // the source of ids, keys and tokens; nil means crypto/rand
	Memory Memory           // what is kept at most
	Keep   Keep             // how long what is over is kept

	MustExist bool // refuse a file that is not there rather than create it

	// Elapsed is a clock that nobody sets, for a process that runs for long: what it shows grows by the time that has
	// passed, suspension included. Jumps of Now are found by it; nil means that they are not looked for.
	// How far the log of changes was read is measured by it as well, without it by the monotonic clock of the process.
	Elapsed func() time.Duration
	// AcceptClock says that Now is right, whatever the dates on record.
	AcceptClock bool
	// ReadOnly says that this process records nothing, as after [DB.SetReadOnly].
	ReadOnly bool
	Health   *health.Board // where failures are reported; nil keeps none

	// Silence is how long a PostgreSQL server may say nothing on any connection while it is asked; then all are closed,
	// and callers are refused until it answers. 0 means four seconds. It may take as long to cancel a statement, and
	// somebody who holds a lock may keep a read waiting as long.
	Silence time.Duration

	// Failed, if it is not nil, is called when something failed that nobody waits for: the upkeep of the database. It is
	// called once a day at most for each task, a phrase such as "give unused space of the database back".
	Failed func(task string, err error)

	// Loaded, if it is not nil, is called when the read model was loaded, or is given up ([Memory.Model]).
	Loaded func(ModelLoad)
}

// Open opens the database: a file of SQLite by its path, which it creates, or a
// database of a PostgreSQL server by its URL (postgres://…). It brings the schema
// up to date, and refuses one that is newer than the program.
func Open(ctx context.Context, path string, o Options) (_ *DB, err error) {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	o.Memory = o.Memory.orDefault()
	elapsed, monotonic, now := o.Elapsed, monotonicClock(o), o.Now
	if now == nil {
		now = time.Now
	}
	var engine dialect
	name := path
	if strings.Contains(path, "://") {
		if o.Elapsed == nil {
			started := time.Now()
			o.Elapsed = func() time.Duration { return time.Since(started) }
		}
		engine, name, err = openPostgres(path, o)
	} else {
		engine, err = openSQLite(path, o.MustExist, o.Memory.Pages/connections)
		err = explainOpening(err, path)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			engine.close()
			err = Explain(withRemedy(err), path)
		}
	}()
	db := &DB{
		dialect:   engine,
		name:      name,
		dossiers:  dossiers{bound: o.Memory.Evidence, asked: asked{seed: maphash.MakeSeed()}},
		callers:   callers{bound: o.Memory.Callers},
		readers:   make(chan *conn, readers),
		searches:  limits.NewSlots(limits.Shares{All: readers / 2, Network: readers / 2, Sure: readers / 2}),
		closed:    make(chan struct{}),
		now:       now,
		random:    o.Random,
		readOnly:  o.ReadOnly,
		health:    o.Health,
		elapsed:   elapsed,
		monotonic: monotonic,
		keep:      o.Keep,
		failed:    o.Failed,
	}
	if db.failed == nil {
		db.failed = func(string, error) {}
	}
	db.model.init(o.Memory)
	writer, err := engine.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", name, err)
	}
	if err := engine.migrate(ctx, writer); err != nil {
		writer.close()
		return nil, fmt.Errorf("open database %s: %w", name, err)
	}
	if err := writer.row(ctx, "SELECT coalesce(max(seq), 0) FROM event", nil, &db.log.followed); err != nil {
		return nil, err
	}
	dates, err := readListDates(ctx, writer, nil)
	if err != nil {
		return nil, err
	}
	db.followLists(dates)
	db.logRead(db.monotonic(), db.now())
	follower, err := engine.connect(ctx)
	if err != nil {
		return nil, err
	}
	for range readers {
		s, err := engine.connect(ctx)
		if err != nil {
			return nil, err
		}
		db.readers <- s
	}
	keeper, err := engine.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := engine.opened(ctx, keeper); err != nil {
		return nil, fmt.Errorf("open database %s: %w", name, err)
	}
	if o.AcceptClock {
		since := time.Duration(0)
		if elapsed != nil {
			since = elapsed()
		}
		db.clock.trust(db.Now().Micro(), since)
	}
	if db.checkClock(ctx) == nil {
		if err := db.deleteExpired(ctx, writer); err != nil {
			return nil, err
		}
	}
	var writing sync.WaitGroup
	db.jobs[accounts] = make(chan *job)
	db.jobs[evidence] = db.jobs[accounts]
	if engine.lanes() > 1 {
		second, err := engine.connect(ctx)
		if err != nil {
			return nil, err
		}
		db.jobs[evidence] = make(chan *job)
		writing.Go(func() { db.runWriter(context.WithoutCancel(ctx), second, evidence, nil) })
	}
	tick := time.NewTicker(followInterval)
	writing.Go(func() { db.runWriter(context.WithoutCancel(ctx), writer, accounts, tick) })
	writing.Go(func() { engine.maintain(context.WithoutCancel(ctx), keeper, db.closed) })
	var watching sync.WaitGroup
	unwatched := make(chan struct{}) // the watch ends last: nobody waits for a server that hangs
	watching.Go(func() { db.watch(context.WithoutCancel(ctx), unwatched) })
	writing.Go(func() { db.followLog(context.WithoutCancel(ctx), follower) })
	if db.model.bound > 0 {
		writing.Go(func() { db.keepModel(context.WithoutCancel(ctx), o.Loaded) })
	}
	db.close = sync.OnceValue(func() error {
		close(db.closed)
		writing.Wait()
		for range readers { // each comes back when its snapshot has been read
			(<-db.readers).close()
		}
		close(unwatched)
		watching.Wait()
		return engine.close()
	})
	return db, nil
}

// monotonicClock returns the clock of DB.monotonic: [Options.Elapsed], or else the time that the process has run
// by its monotonic clock, which leaves out suspension. With a clock of a test and no Elapsed no time passes.
func monotonicClock(o Options) func() time.Duration {
	switch {
	case o.Elapsed != nil:
		return o.Elapsed
	case o.Now != nil:
		return func() time.Duration { return 0 }
	}
	started := time.Now()
	return func() time.Duration { return time.Since(started) }
}

// Close waits for what was begun and closes the database. With the last
// connection the write-ahead log goes back into the file.
func (db *DB) Close() error { return db.close() }

// Name is the file of the database, or its URL without user and password.
func (db *DB) Name() string { return db.name }

// Now returns the moment, by the clock of the database.
func (db *DB) Now() tocsin.Time { return tocsin.TimeOf(db.now()) }

// source says which copy of the database a read may use.
type source int

const (
	// primary finds every write that was answered before, in any process: for
	// keys, sessions, nonces, payments, and whatever a write depends on.
	primary source = iota
	// replica may lag behind: for dossiers, lists of reports, searches, numbers.
	replica
)

// read runs do in a snapshot: whatever it reads belongs together. Both sources are
// the same database so far.
func (db *DB) read(ctx context.Context, _ source, do func(*conn) error) error {
	if err := db.usable(); err != nil {
		return err
	}
	select {
	case s := <-db.readers:
		defer func() { db.readers <- s }()
		return db.reportRead(db.dialect.read(ctx, s, func() error { return do(s) }))
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closed:
		return errClosed
	}
}

// transact runs do in a transaction that writes, see [dialect].
func (db *DB) transact(ctx context.Context, s *conn, l lane, durable bool, do func() error) error {
	if db.writes != nil {
		db.writes(durable)
	}
	return db.dialect.write(ctx, s, l, durable, do)
}

// memo keeps an answer that is dear to compute for a while.
type memo[T any] struct {
	mu   sync.Mutex // held by the one who computes
	last atomic.Pointer[kept[T]]

	stale atomic.Bool // what it rests on has changed since
}

type kept[T any] struct {
	value T
	at    time.Time
}

// staleAfter is how old a stale answer may be.
const staleAfter = time.Second / 2

// get returns the answer, computed anew when it has been kept long enough.
// While one caller computes it the others get the last one.
func (m *memo[T]) get(now time.Time, keep time.Duration, compute func() (T, error)) (T, error) {
	last := m.last.Load()
	if last != nil {
		age := now.Sub(last.at)
		if age >= 0 && age < keep && (age < staleAfter || !m.stale.Load()) {
			return last.value, nil
		}
	}
	if last == nil {
		m.mu.Lock()
	} else if !m.mu.TryLock() {
		return last.value, nil
	}
	defer m.mu.Unlock()
	if again := m.last.Load(); again != last {
		return again.value, nil // somebody was quicker
	}
	m.stale.Store(false)
	v, err := compute()
	if err == nil {
		m.last.Store(&kept[T]{v, now})
	}
	return v, err
}

// day numbers the days of UTC since 1970.
func day(t tocsin.Time) int64 { return t.Micro() / (24 * time.Hour).Microseconds() }

func missing(err error) bool { return errors.Is(err, sql.ErrNoRows) }

func notFound(format string, args ...any) error {
	return &tocsin.Error{Code: tocsin.NotFound, Detail: fmt.Sprintf(format, args...)}
}

// micros returns a time for the database: NULL for nil.
func micros(t *tocsin.Time) any {
	if t == nil {
		return nil
	}
	return t.Micro()
}
