// Package tocsintest is what the tests of several packages share: a clock that
// only tests move, a database by it, the parties of a deployment, and ways to
// look into an answer. Only tests may import it (architecture_test.go).
package tocsintest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/pgtest"
	"tocsin/internal/store"
)

// Tests make much garbage and keep little: to collect it less often takes a seventh of their CPU time off. GOGC, where
// it is set, says otherwise.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Noon is when every [Clock] begins: far from midnight, where quotas end.
var Noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// Clock is a clock that moves only when a test moves it. Its zero value shows [Noon].
// It is safe for concurrent use.
type Clock struct{ passed atomic.Int64 }

// Now returns what the clock shows.
func (c *Clock) Now() time.Time { return Noon.Add(time.Duration(c.passed.Load())) }

// Sleep moves the clock forward.
func (c *Clock) Sleep(d time.Duration) { c.passed.Add(int64(d)) }

// Patience is how long a test waits for what happens in another goroutine or
// process. It passes only if the test fails.
const Patience = 2 * time.Minute

// Eventually waits until something holds that another goroutine or process
// brings about. After [Patience] the test fails.
func Eventually(t testing.TB, about string, holds func() bool) {
	t.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(Patience); !holds(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			t.Errorf("it does not come about: %s", about)
			return
		}
		pause = min(pause*3/2, 25*time.Millisecond) // what takes longer is not asked more often than it costs
	}
}

// Want compares two values by how they are printed.
func Want(t testing.TB, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

// Must ends the test at an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// NewDatabase returns where an empty database is: a new file, or a database on the PostgreSQL server that pgtest names.
func NewDatabase(t testing.TB) string {
	t.Helper()
	if at := pgtest.Database(t); at != "" {
		return at
	}
	path := filepath.Join(t.TempDir(), "t.db")
	file, err := emptyFile()
	Must(t, err)
	Must(t, os.WriteFile(path, file, 0o600))
	return path
}

// emptyFile is a database file of the present schema: to copy it takes less time than the migrations.
var emptyFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tocsin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "t.db")
	db, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Open opens an empty database by a clock. It is closed at the end of the test.
func Open(t testing.TB, clock *Clock) *store.DB {
	t.Helper()
	return OpenAt(t, clock, NewDatabase(t))
}

// OpenAt opens a database that may be open already, as another process does.
func OpenAt(t testing.TB, clock *Clock, at string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), at, store.Options{Now: clock.Now, Silence: Patience})
	Must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// Key makes an API key of a new agent, with the server's quota for nil.
func Key(t testing.TB, db *store.DB, quota *int) string {
	t.Helper()
	made, err := db.CreateKey(context.Background(), nil, "", quota)
	Must(t, err)
	return string(made.Key)
}

// List imports a list that names the subjects, and nothing else any more.
func List(
	t testing.TB, db *store.DB, name, family string, kind tocsin.ListingKind, category string, subjects ...string,
) {
	t.Helper()
	url := "https://lists.example/" + name
	im, err := db.Import(t.Context(), tocsin.List{Name: name, Family: family, URL: url})
	Must(t, err)
	defer im.Close()
	if name == "safelist" { // of the operator
		im.Dated()
	}
	for _, text := range subjects {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			t.Fatal(fault)
		}
		Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{
			Kind: kind, Category: category, Subject: subject, Name: "Somebody", Program: "SDN", URL: url,
		}}))
	}
	_, err = im.Finish(t.Context(), true, nil)
	Must(t, err)
}

// Sanction imports a list of sanctions that names so many accounts of one party, and returns the accounts.
func Sanction(t testing.TB, db *store.DB, party, program string, accounts int) (subjects []string) {
	t.Helper()
	list := tocsin.List{Name: tocsin.SanctionsList, Family: "ofac", URL: "https://lists.example"}
	im, err := db.Import(t.Context(), list)
	Must(t, err)
	defer im.Close()
	for i := range accounts {
		subject := tocsin.Subject{Kind: tocsin.EVM, Value: fmt.Sprintf("0x%040x", i+1)}
		subjects = append(subjects, subject.String())
		Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject, Name: party,
			Program: program}}))
	}
	_, err = im.Finish(t.Context(), true, nil)
	Must(t, err)
	return subjects
}

// At returns the value at a path such as "reports.0.id" of a decoded JSON
// value, or nil if there is no such value.
func At(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// Faulty returns the names of the fields that a decoded problem names, sorted.
func Faulty(problem any) (fields []string) {
	list, _ := At(problem, "errors").([]any)
	for _, fault := range list {
		name, _ := At(fault, "field").(string)
		fields = append(fields, name)
	}
	slices.Sort(fields)
	return fields
}

// Buffer keeps what many goroutines write, such as a log. Its zero value is empty.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// parallel holds the tests for which [Parallel] was called.
var parallel sync.Map

// Parallel lets a test run beside others, however often it is called.
func Parallel(t *testing.T) {
	if _, known := parallel.LoadOrStore(t, true); !known {
		t.Cleanup(func() { parallel.Delete(t) })
		t.Parallel()
	}
}

// Alone makes [Parallel] do nothing for a test: it measures what the process uses.
func Alone(t *testing.T) {
	parallel.Store(t, true)
	t.Cleanup(func() { parallel.Delete(t) })
}
