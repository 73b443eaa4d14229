package store

import (
	"context"
	"strings"
	"testing"

	"tocsin"
)

// TestAnImportThatIsInterruptedAfterItsLastWriteIsDone: the log of acts has it, so it has not failed.
func TestAnImportThatIsInterruptedAfterItsLastWriteIsDone(t *testing.T) {
	s := fresh(t)
	ctx, interrupt := context.WithCancel(t.Context())
	do(t, s.await(&job{ctx: t.Context(), lane: evidence, do: func(_ context.Context, c *conn) error {
		c.ran = func(query string) error {
			if strings.HasPrefix(query, "UPDATE list SET imported") {
				interrupt()
			}
			return nil
		}
		return nil
	}}))
	im, err := s.Import(t.Context(), tocsin.List{Name: "list", Family: "list"})
	do(t, err)
	defer im.Close()
	do(t, im.Add(listing(evil, nil)))
	counts, err := im.Finish(ctx, false, nil)
	equal(t, "what it has done", []any{counts, err, ctx.Err()}, []any{Counts{Added: 1}, nil, context.Canceled})
}
