package store

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tocsin/internal/pgtest"
)

// TestMain: tests make much garbage and keep little, see package tocsintest; and most of the time a test waits for a
// disk, a server or the next look at the log. The flag -parallel says otherwise: it is read by Run.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// placed holds the tests that have a database, and those that [alone] keeps by themselves. Package tocsintest has the
// same for others; it imports this one.
var placed sync.Map

// alone keeps a test by itself, though it has a database: it measures what the process uses.
func alone(t *testing.T) {
	placed.Store(t, true)
	t.Cleanup(func() { placed.Delete(t) })
}

// newPlace returns where a test has its database: a file, or a database of the server that pgtest names. The test runs
// beside others from then on.
func newPlace(t testing.TB) string {
	t.Helper()
	if test, is := t.(*testing.T); is {
		if _, known := placed.LoadOrStore(test, true); !known {
			test.Cleanup(func() { placed.Delete(test) })
			test.Parallel()
		}
	}
	if url := pgtest.Database(t); url != "" {
		return url
	}
	path := filepath.Join(t.TempDir(), "t.db")
	file, err := emptyFile()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// emptyFile is a database file of the present schema with nothing in it, not even an id: to copy it takes a fiftieth of
// the time of the migrations.
var emptyFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tocsin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "t.db")
	d, err := openSQLite(path, false, 0)
	if err != nil {
		return nil, err
	}
	s, err := d.connect(context.Background())
	if err == nil {
		err = d.migrate(context.Background(), s)
		s.close()
	}
	if err := errors.Join(err, d.close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// busy is how long a server may be silent in tests ([Options.Silence]): on a busy machine it is for longer than in
// service, and no test is about how fast it is.
const busy = 2 * time.Minute

// onlySQLite skips a test that is about the file, or about SQLite itself, when the tests run on PostgreSQL.
func onlySQLite(t testing.TB) {
	t.Helper()
	if pgtest.On() {
		t.Skip("it is about SQLite and its file")
	}
}

// onlyPostgres skips a test that is about PostgreSQL when there is no server.
func onlyPostgres(t testing.TB) {
	t.Helper()
	if !pgtest.On() {
		t.Skip("it is about PostgreSQL: name a server in " + pgtest.Variable)
	}
}

// lite is the dialect of a test that is about SQLite.
func lite(db *DB) *sqliteDialect { return db.dialect.(*sqliteDialect) }

// tableNames is the query of the names of all tables; the full-text index of SQLite has no rows to read.
func tableNames() string {
	if pgtest.On() {
		return `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
			ORDER BY 1`
	}
	return `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'report_words%'
		AND name NOT LIKE 'sqlite%'`
}

// zeros is a literal of so many bytes that are all zero.
func zeros(n int) string {
	if pgtest.On() {
		return "decode('" + strings.Repeat("00", n) + "', 'hex')"
	}
	return "X'" + strings.Repeat("00", n) + "'"
}
