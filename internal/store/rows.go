package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// atOnce is how many rows one statement inserts at most.
const atOnce = 64

// insertRows inserts rows, whose values follow each other, with few statements: each is a round trip, and its start
// and end cost more than a row. The statement is into, VALUES and the rows, and then. Returned is called for each row
// that it returns; nil if it returns none. The numbers of new rows ascend in the order of the values.
func (s *conn) insertRows(
	ctx context.Context, into string, columns int, values []any, then string, returned func(*sql.Rows) error,
) error {
	return s.insertAs(ctx, into, columns, values, then, s.dialect.rows, returned)
}

// insertAs is insertRows with another form of the rows.
func (s *conn) insertAs(
	ctx context.Context, into string, columns int, values []any, then string,
	form func(rows, columns int) string, returned func(*sql.Rows) error,
) error {
	for size := atOnce; len(values) > 0; {
		for size*columns > len(values) { // halves, so that there are few different statements to prepare
			size /= 2
		}
		query, args := into+" VALUES "+form(size, columns)+" "+then, values[:size*columns]
		values = values[size*columns:]
		var err error
		if returned == nil {
			_, err = s.exec(ctx, query, args...)
		} else {
			err = s.each(ctx, query, args, returned)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// among calls scan for each row of a query that ends with "IN ", for some values after that. It must not use the
// connection.
func among[T any](ctx context.Context, s *conn, query string, values []T, scan func(*sql.Rows) error) error {
	for some := range slices.Chunk(values, atOnce) {
		size := 1
		for size < len(some) { // doubles, so that there are few different statements to prepare
			size *= 2
		}
		args := make([]any, size)
		for i := range args {
			args[i] = some[min(i, len(some)-1)]
		}
		if err := s.each(ctx, query+s.dialect.rows(1, size), args, scan); err != nil {
			return err
		}
	}
	return nil
}

// repeat writes a text so many times, with commas between.
func repeat(text string, n int) string { return strings.Repeat(text+", ", n-1) + text }
