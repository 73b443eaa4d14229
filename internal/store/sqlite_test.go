package store

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
)

// TestADatabaseThatIsBusyIsUnavailableWhateverTheReason: SQLite has extended
// codes, here that of a snapshot that another connection has overtaken.
func TestADatabaseThatIsBusyIsUnavailableWhateverTheReason(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	var conns [2]*sql.Conn
	for i := range conns {
		c, err := lite(s.DB).pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns[i] = c
	}
	const insert = "INSERT INTO list (name, family, url) VALUES ('a', 'a', '')"
	for _, step := range []struct {
		by    *sql.Conn
		query string
	}{{conns[0], "BEGIN"}, {conns[0], "SELECT count(*) FROM list"}, {conns[1], insert}} {
		if _, err := step.by.ExecContext(t.Context(), step.query); err != nil {
			t.Fatal(err)
		}
	}
	_, err := conns[0].ExecContext(t.Context(), insert)
	if !Unavailable(fmt.Errorf("write: %w", err)) {
		t.Errorf("%v", err)
	}
	_, err = conns[1].ExecContext(t.Context(), insert)
	if err == nil || Unavailable(err) || Unavailable(nil) {
		t.Errorf("%v", err)
	}
}

// TestALimitIsNoBareParameter: with one, SQLite prepares a statement again for each value.
func TestALimitIsNoBareParameter(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT a FROM (SELECT a FROM b WHERE c = $1 LIMIT $12) ORDER BY a LIMIT $2": "SELECT a FROM " +
			"(SELECT a FROM b WHERE c = $1 LIMIT 0+$12) ORDER BY a LIMIT 0+$2",
		"SELECT a FROM b LIMIT 1 OFFSET $1": "SELECT a FROM b LIMIT 1 OFFSET $1",
	} {
		equal(t, query, preparedOnce(query), want)
	}
}

// TestAWriterWaitsForItsTurnInShortSteps, so that it can be given up in between; a reader never waits for a writer.
func TestAWriterWaitsForItsTurnInShortSteps(t *testing.T) {
	onlySQLite(t)
	s := fresh(t)
	for _, durable := range []bool{false, true, false} {
		var wait, level int64
		do(t, s.write(t.Context(), accounts, durable, func(ctx context.Context, c *conn) error {
			if err := c.row(ctx, "PRAGMA busy_timeout", nil, &wait); err != nil {
				return err
			}
			return c.row(ctx, "PRAGMA synchronous", nil, &level)
		}))
		equal(t, "milliseconds", wait, turn.Milliseconds())
		equal(t, "on disk before it returns", level == 2, durable)
	}
}
