package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"tocsin"
)

// conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
type conn struct {
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt
	dialect dialect
	state   connState                // the dialect's
	written written                  // in this transaction
	ran     func(query string) error // for tests: called before each statement, which fails with its error
}

// close gives the connection back. A statement left open would keep the
// database open with it.
func (s *conn) close() {
	for _, st := range s.stmts {
		st.Close()
	}
	s.conn.Close()
}

// prepare returns the prepared statement of a query, or nil if the dialect leaves that to its driver.
func (s *conn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s.ran != nil {
		if err := s.ran(query); err != nil {
			return nil, err
		}
	}
	if s.stmts == nil {
		return nil, nil
	}
	if st := s.stmts[query]; st != nil {
		return st, nil
	}
	st, err := s.conn.PrepareContext(ctx, preparedOnce(query))
	if err != nil {
		return nil, fmt.Errorf("%w in %q", err, tocsin.Shorten(query, 300))
	}
	s.stmts[query] = st
	return st, nil
}

func (s *conn) exec(ctx context.Context, query string, args ...any) (done sql.Result, err error) {
	st, err := s.prepare(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case st != nil:
		return st.ExecContext(ctx, args...)
	}
	done, err = s.conn.ExecContext(ctx, query, clean(args)...)
	return done, s.failed(ctx, err, query)
}

// row reads the single row of a query; sql.ErrNoRows if there is none.
func (s *conn) row(ctx context.Context, query string, args []any, into ...any) error {
	st, err := s.prepare(ctx, query)
	switch {
	case err != nil:
		return err
	case st != nil:
		return st.QueryRowContext(ctx, args...).Scan(into...)
	}
	return s.failed(ctx, s.conn.QueryRowContext(ctx, query, clean(args)...).Scan(into...), query)
}

// each calls scan for every row of a query. It must not use the connection.
func (s *conn) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	var rows *sql.Rows
	if st != nil {
		rows, err = st.QueryContext(ctx, args...)
	} else {
		rows, err = s.conn.QueryContext(ctx, query, clean(args)...)
	}
	if err != nil {
		return s.failed(ctx, err, query)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return s.failed(ctx, rows.Err(), query)
}

// failed notes that a statement has failed, after which a transaction of PostgreSQL can only be rolled back.
func (s *conn) failed(ctx context.Context, err error, query string) error {
	if err == nil || missing(err) || s.stmts != nil {
		return err
	}
	if ctx.Err() != nil && sqlState(err) == "57014" { // query_canceled, since its caller has gone
		err = ctx.Err()
	}
	if sqlState(err) == "" && lost(s) {
		err = fmt.Errorf("%w: %w", errLost, err)
	}
	if code := sqlState(err); code == "26000" || code == "42P05" { // a prepared statement of another session
		err = fmt.Errorf("%w (add default_query_exec_mode=cache_describe to the URL of the database)", err)
	}
	s.state.failed = err
	return fmt.Errorf("%w in %q", err, tocsin.Shorten(query, 300)) // one that inserts 64 rows is 4 KB long
}

// insert inserts a row and returns its number, which is in the column, or 0 if ON CONFLICT DO NOTHING has kept it out.
func (s *conn) insert(ctx context.Context, column, query string, args ...any) (id int64, err error) {
	return s.dialect.insert(ctx, s, column, query, args)
}

// errLost is the error of a statement whose connection was lost.
var errLost = errors.New("the connection to the database was lost")

// inDoubtError is the error of a commit of which it is not known whether it was done.
type inDoubtError struct{ error }

// Unwrap returns why.
func (e inDoubtError) Unwrap() error { return e.error }

// inDoubt reports whether what has failed may have been done nevertheless.
func inDoubt(err error) bool { return errors.As(err, new(inDoubtError)) }

// transact runs do inside a transaction that begin starts.
func (s *conn) transact(ctx context.Context, begin string, do func() error) error {
	// A context that ends between the two must not leave the connection inside
	// the transaction: neither its beginning nor its end has one.
	end := context.WithoutCancel(ctx)
	if _, err := s.exec(end, begin); err != nil {
		return err
	}
	if err := do(); err != nil {
		s.exec(end, "ROLLBACK")
		return err
	}
	_, err := s.exec(end, "COMMIT")
	if err != nil {
		s.exec(end, "ROLLBACK")
	}
	return err
}

func nullable[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func nullBytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
