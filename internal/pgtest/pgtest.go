// Package pgtest gives tests databases on a PostgreSQL server. Only tests may import it (architecture_test.go).
package pgtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the environment variable with the URL of a database, in which each test gets a schema of its own.
// Without it the tests run on SQLite. test.sh starts a server for it.
const Variable = "TOCSIN_TEST_POSTGRES"

// On reports whether the tests run on PostgreSQL.
func On() bool { return os.Getenv(Variable) != "" }

// Database returns the URL of an empty database that is deleted after the test; "" if the tests run on SQLite.
func Database(t testing.TB) string {
	t.Helper()
	text := os.Getenv(Variable)
	if text == "" {
		return ""
	}
	at, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%s is not a URL", Variable)
	}
	name := "test_" + strings.ToLower(rand.Text())
	run(t, text, "CREATE SCHEMA "+name)
	t.Cleanup(func() { run(t, text, "DROP SCHEMA "+name+" CASCADE") })
	query := at.Query()
	query.Set("search_path", name)
	query.Set("connect_timeout", "120") // of a busy machine
	at.RawQuery = query.Encode()
	return at.String()
}

// Exec runs statements in a database of [Database].
func Exec(t testing.TB, database, statements string) {
	t.Helper()
	run(t, database, statements)
}

func run(t testing.TB, database, statements string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // the test's own may have ended
	defer cancel()
	c, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}
