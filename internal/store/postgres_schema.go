package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"time"

	"tocsin/internal/health"
)

// firstPostgres is the schema that a new database begins with: the file of that number holds all of it. Later files
// have the numbers of SQLite's.
const firstPostgres = 11

// Keys of advisory locks begin with the name of the program ("TOCS"), so that they do not meet those of others.
const (
	lockKeys      = applicationID << 32
	migrationLock = lockKeys // and evidence: with the number of the schema
	ledgerLock    = 1 << 32  // that is added to the one of evidence
	readOnlyLock  = 2 << 32  // likewise
)

// metaSchema is the row of table meta with the version of the schema.
const metaSchema = "schema"

// beginMigration begins a transaction that only one process at a time is in.
var beginMigration = fmt.Sprintf("BEGIN; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(%d)",
	int64(migrationLock))

// migrate brings the schema to this program's version. Of several processes the first one does it.
func (d *postgresDialect) migrate(ctx context.Context, s *conn) error {
	return d.transact(ctx, s, beginMigration, func() error { return d.upgrade(ctx, s, false) })
}

// upgrade brings the schema to this program's version; an empty one if so asked.
func (d *postgresDialect) upgrade(ctx context.Context, s *conn, empty bool) error {
	var number, tables, version int64
	var server int
	var synchronous, place string
	var ours bool
	err := s.row(ctx, `SELECT n.oid::bigint, n.nspname, current_setting('server_version_num')::bigint,
			current_setting('synchronous_commit'),
			(SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')),
			EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'caller_version')
		FROM pg_namespace n WHERE n.nspname = current_schema()`, nil,
		&number, &place, &server, &synchronous, &tables, &ours)
	if missing(err) {
		return fmt.Errorf("the user has no schema to use: create one, and name it with search_path in the URL")
	}
	if err != nil {
		return err
	}
	d.lock = lockKeys | int64(uint32(number))
	if synchronous == "off" {
		d.durable = "; SET LOCAL synchronous_commit = on"
	}
	switch {
	case server < 150000:
		return fmt.Errorf("the server is PostgreSQL %d, 15 or later is needed", server/10000)
	case tables > 0 && !ours:
		return fmt.Errorf("the schema %s is that of another program", place)
	case tables > 0 && empty:
		return fmt.Errorf("the schema %s is not empty", place)
	case tables == 0 && d.must:
		return fmt.Errorf("there is no database of Tocsin: name one that exists, with -db; " +
			"`tocsin serve` begins a new one")
	case tables > 0:
		if version, err = d.schemaNumber(ctx, s); err != nil {
			return err
		}
	}
	if version > schemaVersion {
		return NewerSchema{version}
	}
	if version == schemaVersion {
		return nil
	}
	for v := max(version+1, firstPostgres); v <= schemaVersion; v++ {
		text, err := fs.ReadFile(schema, "schema/postgres/"+strconv.FormatInt(v, 10)+".sql")
		if err != nil {
			return err
		}
		if _, err := s.conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("schema %d: %w", v, err)
		}
		if v == transactionsIndexed {
			if err := reindex(ctx, s, false, d.indexWords); err != nil {
				return fmt.Errorf("schema %d: %w", v, err)
			}
		}
	}
	return setMeta(ctx, s, metaSchema, []byte(strconv.Itoa(schemaVersion)))
}

func (d *postgresDialect) schemaNumber(ctx context.Context, s *conn) (number int64, err error) {
	text, err := getMeta(ctx, s, metaSchema)
	if err == nil {
		number, err = strconv.ParseInt(string(text), 10, 64)
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the schema: %w", err)
	}
	return number, nil
}

// opened begins to watch the database, on a connection for that alone, and to flush it.
func (d *postgresDialect) opened(ctx context.Context, s *conn) (err error) {
	identity := make([]byte, 16)
	if _, err := rand.Read(identity); err != nil { // no secret, and needed by nothing but a comparison
		return err
	}
	err = d.write(ctx, s, accounts, true, func() error {
		d.identity, err = keepMeta(ctx, s, metaIdentity, identity)
		return err
	})
	if err != nil {
		return err
	}
	if d.watcher, err = d.connect(ctx); err != nil {
		return err
	}
	d.flusher.sync = func() error {
		d.flushing.Lock()
		defer d.flushing.Unlock()
		if d.flushed {
			return errClosed
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		// A commit that must be on disk puts all earlier ones there as well. It must write something for that.
		return d.write(ctx, s, accounts, true, func() error {
			_, err := s.exec(ctx, "SELECT pg_logical_emit_message(true, 'tocsin', '')")
			return err
		})
	}
	if reason := d.look(ctx, 0); reason != "" {
		return &Outage{Part: health.Database, Reason: reason}
	}
	return nil
}

// maxSilence is [Options.Silence] unless it is given. Calls are then answered within five seconds.
const maxSilence = 4 * time.Second

// slowLook is how many times as long a look may take as the server may be silent: it waits while others are answered,
// as when somebody has locked a table. Until it ends, keys that other processes have revoked are not known.
const slowLook = 3

func (d *postgresDialect) check(ctx context.Context, followed int64) health.Reason {
	ctx, cancel := context.WithTimeout(ctx, slowLook*d.silence)
	defer cancel()
	tick := time.NewTicker(d.silence / silentTicks)
	defer tick.Stop()
	var guard sync.WaitGroup
	guard.Go(func() {
		d.lines.guard(ctx, tick.C)
		cancel()
	})
	reason := d.look(ctx, followed)
	cancel()
	guard.Wait()
	if reason == "" {
		d.lines.silent.Store(false)
	}
	return reason
}

// look asks everything that must be known of other processes and of the server, in one round trip. A log that went back
// behind an event that was followed stays a fault, however many events are added to it: new ones have numbers that the
// memory believes to know.
func (d *postgresDialect) look(ctx context.Context, followed int64) health.Reason {
	d.watching.Lock()
	defer d.watching.Unlock()
	if d.exchanged {
		return health.Exchanged
	}
	var identity []byte
	var events, version, clock int64
	ask := func() error {
		before := d.elapsed()
		err := d.watcher.row(ctx, `SELECT (SELECT value FROM meta WHERE name = $1), (SELECT coalesce(max(seq), 0) FROM event),
			(SELECT version FROM caller_version), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
			[]any{metaIdentity}, &identity, &events, &version, &clock)
		clock -= (before + (d.elapsed()-before)/2).Microseconds()
		return err
	}
	err := d.readStatement(ctx, d.watcher, ask)
	switch {
	case sqlState(err) == "42P01", err == nil && // undefined_table
		(!bytes.Equal(identity, d.identity) || events < max(d.events, followed)):
		d.exchanged = true
		return health.Exchanged
	case err != nil:
		return health.Unreachable
	}
	d.events = events
	d.clock.Store(clock)
	d.version.Store(version)
	return ""
}

// now returns the clock of the server, as it was found at the last look.
func (d *postgresDialect) now() (micros int64, known bool) {
	at := d.clock.Load()
	if d.ownClock || at == 0 {
		return 0, false
	}
	return at + d.elapsed().Microseconds(), true
}

func (d *postgresDialect) othersWrote(_ context.Context, s *conn) bool {
	version := d.version.Load()
	changed := version != s.state.otherVersion
	s.state.otherVersion = version
	return changed
}
