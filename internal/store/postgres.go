package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"

	"tocsin"
	"tocsin/internal/health"
)

// This file and its neighbours postgres_*.go hold what is particular to PostgreSQL.
//
// They keep no state in a session: no prepared statements with names, no settings and no locks that outlive a
// transaction. So the program also runs behind pgbouncer in transaction mode.

// postgresDialect is a database of a PostgreSQL server.
type postgresDialect struct {
	pool    *sql.DB
	name    string // to be shown: no user, no password
	must    bool   // refuse a database without Tocsin's tables
	lock    int64  // of the evidence lane
	durable string // what makes a transaction durable, if the server's settings do not

	flusher  flusher
	flushing sync.Mutex
	flushed  bool // for the last time

	chosen bool        // the URL says how statements are sent
	direct atomic.Bool // there is no pooler between: statements may be prepared
	probed sync.Once

	ownClock bool                 // an injected clock is the one that leases are compared with
	elapsed  func() time.Duration // since some moment, by a clock that nobody sets
	clock    atomic.Int64         // of the server when elapsed was 0, in microseconds; 0: not asked yet

	watching sync.Mutex
	watcher  *conn
	identity []byte
	events   int64        // that were ever written, at the last look
	version  atomic.Int64 // of keys and agents, at the last look

	exchanged bool // another database was found, or an older one: for good, since the memory is not of that one

	lines     lines
	silence   time.Duration // see Options.Silence
	beginRead string        // begins a transaction that reads
	lost      atomic.Int64  // connections that were lost and opened again
}

// openPostgres reads the URL of a database and returns with it the name that may be shown. Nothing is connected yet.
func openPostgres(text string, o Options) (*postgresDialect, string, error) {
	if !strings.HasPrefix(text, "postgres://") && !strings.HasPrefix(text, "postgresql://") {
		scheme, _, _ := strings.Cut(text, "://")
		return nil, "", fmt.Errorf("a database %.20q://… is not supported: "+
			"name a file, or a PostgreSQL database as in postgres://user:password@host:5432/name", scheme)
	}
	config, err := pgx.ParseConfig(text)
	if err != nil {
		// The error may quote the URL, and with it the password.
		return nil, "", errors.New("the URL of the database cannot be read: it looks like " +
			"postgres://user:password@host:5432/name?sslmode=verify-full, with special characters of the password " +
			"as %23 for # and so on")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	d := &postgresDialect{must: o.MustExist, ownClock: o.Now != nil, elapsed: o.Elapsed, silence: o.Silence}
	if d.silence == 0 {
		d.silence = maxSilence
	}
	d.beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off; " +
		fmt.Sprintf("SET LOCAL lock_timeout = %d", d.silence.Milliseconds())
	config.DialFunc = d.lines.dialer(&net.Dialer{KeepAliveConfig: keepAlive, Control: controlSocket})
	// A statement that is given up is cancelled on the server, and its connection is used again.
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: d.silence}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "tocsin"
	}
	if u, err := url.Parse(text); err == nil {
		d.chosen = u.Query().Has("default_query_exec_mode")
	}
	d.name = "postgres://" + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database
	d.flusher.sync = func() error { return errClosed }
	d.pool = stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(func(_ context.Context, c *pgx.ConnConfig) error {
		if !d.chosen && !d.direct.Load() {
			c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		return nil
	}))
	d.pool.SetMaxIdleConns(-1) // a connection that is given back is not used again
	return d, d.name, nil
}

// connectTimeout is how long a connection may take to be made, unless the URL says it.
const connectTimeout = 5 * time.Second

// keepAlive notices within seconds that the server's machine is gone.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}

func (d *postgresDialect) lanes() int { return 2 }

func (d *postgresDialect) path() string { return "" }

func (d *postgresDialect) logBytes() int64 { return 0 }

// checkStorage: the server checks pages when it reads them (initdb --data-checksums), and keeps foreign keys itself.
func (d *postgresDialect) checkStorage(context.Context, *conn) ([]string, error) { return nil, nil }

func (d *postgresDialect) indexed() string { return "SELECT report FROM report_words" }

func (d *postgresDialect) moved() health.Reason { return "" }

func (d *postgresDialect) contains(in, what string) string {
	return "position(" + what + " IN " + in + ") > 0"
}

func (d *postgresDialect) connect(ctx context.Context) (*conn, error) {
	d.probed.Do(func() { d.probe(ctx) })
	c, err := d.pool.Conn(ctx)
	if err != nil {
		return nil, shownError(err)
	}
	return &conn{conn: c, dialect: d}, nil
}

// probe finds out whether a pooler such as pgbouncer is between the program and the server. Prepared statements
// cost half the CPU time on both sides, but the next transaction may have another session of the server, which has
// not prepared them. A pooler gives its clients numbers of its own in place of those of the server's processes.
func (d *postgresDialect) probe(ctx context.Context) {
	c, err := d.pool.Conn(ctx)
	if err != nil {
		return // the next connection says why
	}
	defer c.Close()
	var process int64
	if c.QueryRowContext(ctx, "SELECT pg_backend_pid()::bigint").Scan(&process) != nil {
		return
	}
	_ = c.Raw(func(c any) error {
		d.direct.Store(int64(c.(*stdlib.Conn).Conn().PgConn().PID()) == process)
		return nil
	})
}

// shownError is the error of a connection in words for the operator. The driver's text has the user in it, and no
// password.
func shownError(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) {
		return err
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return fmt.Errorf("the database server refuses the connection: %w", refused)
	}
	return fmt.Errorf("the database server is out of reach: %w", err)
}

func (d *postgresDialect) close() error {
	d.watching.Lock()
	defer d.watching.Unlock()
	if d.watcher != nil {
		d.watcher.close()
	}
	return d.pool.Close()
}

// clean makes of texts what PostgreSQL takes: UTF-8 without NUL. Reports and lists are cleaned before they come
// here; this is for what is only looked up, such as an id out of a URL, and must be found to be unknown rather than
// fail.
func clean(args []any) []any {
	for i, arg := range args {
		if text, ok := arg.(string); ok && (strings.IndexByte(text, 0) >= 0 || strings.ToValidUTF8(text, "") != text) {
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return args
}

// Nobody waits longer than patience for another transaction. One whose process hangs is ended, so that it does not
// hold the locks for good.
var bounds = fmt.Sprintf("SET LOCAL lock_timeout = %d; ", patience.Milliseconds()) +
	"SET LOCAL idle_in_transaction_session_timeout = 30000"

// read compiles nothing: that takes longer than any of our queries. It waits for a lock no longer than for an answer:
// some tables are locked as a whole, as by VACUUM FULL, and whatever else is asked would soon wait for a connection.
func (d *postgresDialect) read(ctx context.Context, s *conn, do func() error) error {
	return d.transact(ctx, s, d.beginRead, do)
}

// readStatement runs do, on another connection if this one was lost.
func (d *postgresDialect) readStatement(ctx context.Context, s *conn, do func() error) error {
	err := do()
	if err == nil || missing(err) || !lost(s) {
		return err
	}
	if err := d.reconnect(ctx, s); err != nil {
		return err
	}
	return do()
}

// write runs do in a transaction. In the evidence lane it begins with a lock: the transactions of this lane run one
// after the other in all processes, and each sees all that the one before has written, since every statement sees
// what was committed before it (READ COMMITTED).
//
// Evidence is on disk even if that is not asked for: what the processes have read in the log of events must not be lost
// with the server, since its numbers would be given again.
func (d *postgresDialect) write(ctx context.Context, s *conn, l lane, durable bool, do func() error) (err error) {
	begin := "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " + bounds
	if !durable && l == accounts {
		begin += "; SET LOCAL synchronous_commit = off"
	} else {
		begin += d.durable
	}
	if l == evidence {
		begin += fmt.Sprintf("; SELECT pg_advisory_xact_lock(%d)", d.lock)
	}
	for range deadlocks {
		err = d.transact(ctx, s, begin, func() error {
			s.state.words = s.state.words[:0]
			if err := do(); err != nil {
				return err
			}
			return d.indexWords(ctx, s)
		})
		if code := sqlState(err); code != "40P01" && code != "40001" { // deadlock_detected, serialization_failure
			break
		}
	}
	return err
}

// deadlocks is how often a transaction is tried that was ended because it and another waited for each other.
const deadlocks = 3

// transact runs do in a transaction. It opens the connection again if that was lost.
func (d *postgresDialect) transact(ctx context.Context, s *conn, begin string, do func() error) error {
	end := context.WithoutCancel(ctx)
	if err := d.begin(end, s, begin); err != nil {
		return err
	}
	s.state.failed = nil
	err := do()
	if err == nil {
		err = s.state.failed // a COMMIT would roll back, and not say so
	}
	if err != nil {
		s.exec(end, "ROLLBACK")
		return err
	}
	if _, err = s.exec(end, "COMMIT"); err != nil && lost(s) {
		return inDoubtError{err} // it may have been done
	}
	if err != nil {
		s.exec(end, "ROLLBACK")
	}
	return err
}

// lost reports whether the connection is no longer one.
func lost(s *conn) bool {
	return s.conn.Raw(func(c any) error {
		if c.(*stdlib.Conn).Conn().IsClosed() {
			return driver.ErrBadConn
		}
		return nil
	}) != nil
}

// begin begins a transaction, on another connection if this one was lost.
func (d *postgresDialect) begin(ctx context.Context, s *conn, query string) error {
	_, err := s.exec(ctx, query)
	if err == nil {
		return nil
	}
	if !lost(s) {
		s.exec(ctx, "ROLLBACK")
		return err
	}
	if err := d.reconnect(ctx, s); err != nil {
		return err
	}
	_, err = s.exec(ctx, query)
	if err != nil {
		s.exec(ctx, "ROLLBACK")
	}
	return err
}

func (d *postgresDialect) reconnect(ctx context.Context, s *conn) error {
	d.lost.Add(1)
	s.conn.Close()
	if d.lines.silent.Load() && s != d.watcher {
		return errLost // the watch says when the server answers again
	}
	c, err := d.pool.Conn(ctx)
	if err != nil {
		return shownError(err)
	}
	s.conn = c
	return nil
}

func (d *postgresDialect) insert(ctx context.Context, s *conn, column, query string, args []any) (id int64, err error) {
	if err = s.row(ctx, query+" RETURNING "+column, args, &id); missing(err) {
		err = nil
	}
	return id, err
}

// contended: one who waits for the lock of the evidence lane gets it next.
func (d *postgresDialect) contended(context.Context, *conn) (bool, error) { return true, nil }

func (d *postgresDialect) rows(rows, columns int) string {
	return numbered(rows, "("+repeat("$%d", columns)+")")
}

// numbered repeats a row, and numbers the parameters that it has as $%d.
func numbered(rows int, row string) string {
	numbers := make([]any, rows*strings.Count(row, "%d"))
	for i := range numbers {
		numbers[i] = i + 1
	}
	return fmt.Sprintf(repeat(row, rows), numbers...)
}

func (d *postgresDialect) flush() *flush { return d.flusher.begin() }

// maintain: the server does its housekeeping itself.
func (d *postgresDialect) maintain(_ context.Context, s *conn, closed <-chan struct{}) {
	<-closed
	d.flushing.Lock()
	defer d.flushing.Unlock()
	d.flushed = true
	s.close()
}

// sqlState is the code of an error that the server has answered with; "" if it is another one.
func sqlState(err error) string {
	var failed *pgconn.PgError
	if !errors.As(err, &failed) {
		return ""
	}
	return failed.Code
}

// classOfPostgres names the kind of a failure; "" if it is none of PostgreSQL
// (https://www.postgresql.org/docs/15/errcodes-appendix.html).
func classOfPostgres(err error) health.Reason {
	code := sqlState(err)
	var connecting *pgconn.ConnectError
	switch {
	case code == "" && (errors.As(err, &connecting) || errors.Is(err, errLost) || inDoubt(err)):
		return health.Lost
	case code == "":
		return ""
	case strings.HasPrefix(code, "57P"), strings.HasPrefix(code, "08"), code == "53300":
		return health.Lost // shut down, connection lost, too many connections
	case code == "55P03", code == "40P01", code == "40001", code == "57014", code == "25P03":
		return health.Busy
	case code == "53100":
		return health.Full
	case code == "25006", code == "42501":
		return health.ReadOnly
	case code == "58030":
		return health.IO
	case strings.HasPrefix(code, "XX"):
		return health.Corrupt
	}
	return health.Other
}

// copyTo is not for this dialect.
func (d *postgresDialect) copyTo(context.Context, string, tocsin.Time) error {
	return &tocsin.Error{Code: tocsin.Invalid, Detail: "a PostgreSQL database is copied with its own tool: " +
		"`pg_dump --format=custom --exclude-table-data=session --exclude-table-data=nonce " +
		"--exclude-table-data=filing --exclude-table-data=origin --exclude-table-data=used`; " +
		"the table meta holds secrets (docs/operate.md)"}
}
