package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"tocsin"
)

// Moved says what of a table was copied.
type Moved struct {
	Table string
	Rows  int
	Sum   string // of all rows, as they were read and as they were found again
}

// movedTables are the tables with their primary keys, each after those that it refers to.
var movedTables = []struct{ name, key string }{
	{"meta", "name"}, {"subject", "id"}, {"list", "id"}, {"agent", "id"}, {"listing", "subject, list, chain, kind"},
	{"key", "hash"}, {"usage", "agent, day"}, {"report", "seq"}, {"report_subject", "subject, report"}, {"event", "seq"},
	{"filing", "hash"}, {"origin", "report"}, {"claim", "seq"}, {"nonce", "value"}, {"session", "hash"},
	{"named", "agent, subject"}, {"standing", "agent, kind"}, {"act", "seq"}, {"act_object", "act, object"},
	{"list_version", "list, at"},
}

// ownMeta are the rows of meta that a database has for itself.
const ownMeta = " WHERE name NOT IN ('" + metaIdentity + "', '" + metaSchema + "')"

// MoveTo copies the whole of a SQLite database into an empty database of PostgreSQL, given by its URL: one moment of
// it, in one transaction, so that an interruption leaves nothing behind. Each table is read again and compared row by
// row before that is committed. What is written to the file afterwards is not in the copy: no process should use it
// any more. Ids, cursors, keys, manage tokens and open payments are the same.
func (db *DB) MoveTo(ctx context.Context, url string, progress func(done, total int64)) (moved []Moved, err error) {
	if _, ok := db.dialect.(*sqliteDialect); !ok {
		return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: "only a database file of SQLite is moved"}
	}
	d, name, err := openPostgres(url, Options{Elapsed: func() time.Duration { return 0 }})
	if err != nil {
		return nil, err
	}
	defer d.close()
	to, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer to.close()
	err = db.read(ctx, primary, func(from *conn) error {
		m := move{from: from, to: to, d: d, progress: progress}
		return d.transact(ctx, to, beginMigration, func() (err error) {
			if err := d.upgrade(ctx, to, true); err != nil {
				return err
			}
			moved, err = m.all(ctx)
			return err
		})
	})
	if ctx.Err() != nil {
		err = ctx.Err() // rather than what became of the copying
	}
	if err != nil {
		return nil, fmt.Errorf("move to %s: %w", name, err)
	}
	_, err = to.conn.ExecContext(ctx, "ANALYZE") // so that the first queries are planned well
	return moved, err
}

// move is a copying of all tables.
type move struct {
	from, to    *conn
	d           *postgresDialect
	done, total int64 // rows, of which each is read twice
	progress    func(done, total int64)
}

func (m *move) step() {
	if m.done++; m.progress != nil && m.done%100 == 0 {
		m.progress(m.done, max(m.total, m.done))
	}
}

func (m *move) all(ctx context.Context) (moved []Moved, err error) {
	for _, table := range movedTables {
		var rows int64
		if err := m.from.row(ctx, "SELECT count(*) FROM "+table.name, nil, &rows); err != nil {
			return nil, err
		}
		m.total += 2 * rows
	}
	for _, table := range movedTables {
		one, err := m.table(ctx, table.name, table.key)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table.name, err)
		}
		moved = append(moved, one)
	}
	if err := m.words(ctx); err != nil {
		return nil, fmt.Errorf("index the words: %w", err)
	}
	return moved, m.sequences(ctx)
}

// table copies one table and reads it again.
func (m *move) table(ctx context.Context, name, key string) (moved Moved, err error) {
	var columns, kinds []string
	err = m.to.each(ctx, `SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
		WHERE attrelid = CAST($1 AS text)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
		[]any{name}, func(rows *sql.Rows) error {
			var column, kind string
			err := rows.Scan(&column, &kind)
			columns, kinds = append(columns, column), append(kinds, kind)
			return err
		})
	if err != nil {
		return moved, err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + name
	if name == "meta" {
		query += ownMeta
	}
	query += " ORDER BY " + key
	source := &rowsOf{kinds: kinds, sum: sha256.New(), step: m.step}
	if source.rows, err = m.from.conn.QueryContext(ctx, query); err != nil {
		return moved, err
	}
	defer source.rows.Close()
	err = m.to.conn.Raw(func(c any) error {
		_, err := c.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{name}, columns, source)
		return err
	})
	if err != nil {
		return moved, err
	}
	again := &rowsOf{kinds: kinds, sum: sha256.New(), step: m.step}
	if again.rows, err = m.to.conn.QueryContext(ctx, query); err != nil {
		return moved, err
	}
	defer again.rows.Close()
	for again.Next() {
	}
	if err := again.Err(); err != nil {
		return moved, err
	}
	moved = Moved{Table: name, Rows: source.n, Sum: fmt.Sprintf("%.16x", source.sum.Sum(nil))}
	if again.n != source.n || fmt.Sprintf("%.16x", again.sum.Sum(nil)) != moved.Sum {
		return moved, fmt.Errorf("the copy differs: it has %d rows of %d, or others", again.n, source.n)
	}
	return moved, nil
}

// rowsOf reads the rows of a table and adds them up. It implements [pgx.CopyFromSource].
type rowsOf struct {
	rows   *sql.Rows
	kinds  []string // of the columns, in PostgreSQL
	values []any
	n      int
	sum    hash.Hash
	err    error
	step   func()
}

// Next implements [pgx.CopyFromSource].
func (r *rowsOf) Next() bool {
	if r.err != nil || !r.rows.Next() {
		return false
	}
	r.values = make([]any, len(r.kinds))
	into := make([]any, len(r.values))
	for i := range into {
		into[i] = &r.values[i]
	}
	if r.err = r.rows.Scan(into...); r.err != nil {
		return false
	}
	r.values = clean(r.values)
	for i, v := range r.values {
		if number, ok := v.(int64); ok && r.kinds[i] == "boolean" {
			r.values[i] = number != 0
		}
		fmt.Fprintf(r.sum, "%T", r.values[i])
		switch v := r.values[i].(type) {
		case string:
			fmt.Fprintf(r.sum, "%d:%s", len(v), v)
		case []byte:
			fmt.Fprintf(r.sum, "%d:%s", len(v), v)
		default:
			fmt.Fprintf(r.sum, "%v;", v)
		}
	}
	r.n++
	r.step()
	return true
}

// Values implements [pgx.CopyFromSource].
func (r *rowsOf) Values() ([]any, error) { return r.values, nil }

// Err implements [pgx.CopyFromSource].
func (r *rowsOf) Err() error { return errors.Join(r.err, r.rows.Err()) }

// words indexes all published reports.
func (m *move) words(ctx context.Context) error {
	const atOnce = 500
	for last, more := int64(0), true; more; {
		batch := &pgx.Batch{}
		err := m.from.each(ctx,
			"SELECT seq, body FROM report WHERE seq > $1 AND status = 'published' ORDER BY seq LIMIT $2",
			[]any{last, atOnce}, func(rows *sql.Rows) error {
				var body []byte
				var draft tocsin.Draft
				if err := rows.Scan(&last, &body); err != nil {
					return err
				}
				err := json.Unmarshal(body, &draft)
				batch.Queue(addWords+" VALUES "+wordRows(1, wordColumns), indexed(wordsOfDraft(last, &draft))...)
				return err
			})
		if err != nil {
			return err
		}
		more = batch.Len() > 0
		err = m.to.conn.Raw(func(c any) error {
			return c.(*stdlib.Conn).Conn().SendBatch(ctx, batch).Close()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sequences makes new rows get numbers that none ever had.
func (m *move) sequences(ctx context.Context) error {
	last := map[string]int64{}
	err := m.from.each(ctx, "SELECT name, seq FROM sqlite_sequence", nil, func(rows *sql.Rows) error {
		var name string
		var seq int64
		err := rows.Scan(&name, &seq)
		last[name] = seq
		return err
	})
	if err != nil {
		return err
	}
	for _, table := range movedTables {
		if !slices.Contains([]string{"id", "seq"}, table.key) {
			continue
		}
		var highest int64
		if err := m.from.row(ctx, "SELECT coalesce(max("+table.key+"), 0) FROM "+table.name, nil, &highest); err != nil {
			return err
		}
		if highest = max(highest, last[table.name]); highest == 0 {
			continue
		}
		if err := m.to.row(ctx, "SELECT setval(pg_get_serial_sequence($1, $2), $3)",
			[]any{table.name, table.key, highest}, &highest); err != nil {
			return err
		}
	}
	return nil
}
