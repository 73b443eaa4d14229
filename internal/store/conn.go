package store

import (
	"context"
	"database/sql"
	"fmt"
)

// conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
type conn struct {
	conn    *sql.Conn
	stmts   map[string]*sql.Stmt
	dialect *dialect
	state   connState          // the dialect's
	written written            // in this transaction
	ran     func(query string) // for tests: called with each statement
}

// close gives the connection back. A statement left open would keep the
// database open with it.
func (s *conn) close() {
	for _, st := range s.stmts {
		st.Close()
	}
	s.conn.Close()
}

func (s *conn) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s.ran != nil {
		s.ran(query)
	}
	if st := s.stmts[query]; st != nil {
		return st, nil
	}
	st, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%w in %q", err, query)
	}
	s.stmts[query] = st
	return st, nil
}

func (s *conn) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

// row reads the single row of a query; sql.ErrNoRows if there is none.
func (s *conn) row(ctx context.Context, query string, args []any, into ...any) error {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	return st.QueryRowContext(ctx, args...).Scan(into...)
}

// each calls scan for every row of a query.
func (s *conn) each(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	st, err := s.prepare(ctx, query)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

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
