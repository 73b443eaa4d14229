package store

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"tocsin"
)

// TestALostTokenIsGivenAgainForTheSameIdempotencyKey: to whoever knows that, and to nobody who knows only the report,
// the network, or a copy of the database.
func TestALostTokenIsGivenAgainForTheSameIdempotencyKey(t *testing.T) {
	s := fresh(t)
	by := s.agent(t)
	const long = "6f1c2f0e-7a44-4c0b-9a55-1f6f"
	for i, c := range []struct {
		about, key, again string
		by                *Caller
		given             bool
	}{
		{"the same key", long, long, nil, true},
		{"a key that neighbours could guess", "report-1", "report-1", nil, false},
		{"a short key of an agent", "report-1", "report-1", by, true},
		{"another key", long, long + "x", nil, false},
		{"no key", long, "", nil, false},
		{"a key, of a filing that had none", "", long, nil, false},
	} {
		d := story(t, c.about, "evil.com")
		c.key, c.again = strings.Replace(c.key, "6f", fmt.Sprint(i), 1), strings.Replace(c.again, "6f", fmt.Sprint(i), 1)
		f := Filing{Draft: d, By: c.by, Network: network, IdempotencyKey: c.key}
		first, err := s.FileReport(t.Context(), f)
		do(t, err)
		f.IdempotencyKey = c.again
		want := ""
		if c.given {
			want = first.ManageToken
		}
		again, err := s.FileReport(t.Context(), f)
		do(t, err)
		before, found, err := s.FiledBefore(t.Context(), f)
		do(t, err)
		equal(t, c.about, []any{again.Duplicate, again.Report.ID, again.ManageToken, found, before.ManageToken},
			[]any{true, first.Report.ID, want, true, want})
		f.Network = netip.MustParsePrefix(fmt.Sprintf("198.51.%d.0/24", i))
		if elsewhere, err := s.FileReport(t.Context(), f); c.by == nil && (err != nil ||
			elsewhere.Duplicate || elsewhere.ManageToken == first.ManageToken) {
			t.Errorf("%s, from another network: %+v, %v", c.about, elsewhere, err)
		}
		for about, secret := range map[string]string{"token": first.ManageToken, "key": c.key} {
			if secret != "" && strings.Contains(s.contents(t), strings.TrimPrefix(secret, "man_")) {
				t.Errorf("%s: the %s is in the database", c.about, about)
			}
		}
		do(t, s.Withdraw(t.Context(), first.Report.ID, first.ManageToken))
	}
}

// TestATokenOfAnOlderVersionIsNotReplaced: it was random, goes on working, and is not given again.
func TestATokenOfAnOlderVersionIsNotReplaced(t *testing.T) {
	s := fresh(t)
	f := Filing{Draft: story(t, "a", "evil.com"), Network: network, IdempotencyKey: "6f1c2f0e-7a44-4c0b-9a55-1f6f"}
	first, err := s.FileReport(t.Context(), f)
	do(t, err)
	token, err := tocsin.NewManageToken(s.random)
	do(t, err)
	do(t, s.write(t.Context(), evidence, true, func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, "UPDATE report SET manage = $1", tokenHash(token))
		return err
	}))
	again, err := s.FileReport(t.Context(), f)
	do(t, err)
	equal(t, "again", []any{again.Duplicate, again.ManageToken}, []any{true, ""})
	anew := s.Withdraw(t.Context(), first.Report.ID, first.ManageToken)
	equal(t, "a token that was made anew", codeOf(anew), tocsin.Forbidden)
	do(t, s.Withdraw(t.Context(), first.Report.ID, token))
}
