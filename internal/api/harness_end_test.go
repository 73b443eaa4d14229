package api

import (
	"context"
	"net/netip"
	"testing"

	"tocsin"
	"tocsin/internal/limits"
)

// ends checks at the end of a test that everything is back that calls had taken: their slots, and of the keys that were
// used the calls in progress.
func (s *service) ends(t *testing.T) {
	t.Helper()
	if t.Failed() {
		return
	}
	b := s.api.Budgets()
	for name, slots := range map[string]*limits.Slots{
		"wallet checks": b.WalletChecks, "large messages": b.LargeMessages, "free searches": b.FreeSearching,
	} {
		most := 16
		if slots == b.FreeSearching {
			most = 1
		}
		if free := freeSlots(func(n netip.Prefix) bool { _, ok := slots.Try(n); return ok }); free != most {
			t.Errorf("at the end %d %s of %d are free", free, name, most)
		}
	}
	if free := freeSlots(func(n netip.Prefix) bool { return b.PaidCalls.EnterNetwork(n, 0) != nil }); free != 1024 {
		t.Errorf("at the end %d paid calls of 1,024 may begin", free)
	}
	for key := range s.keys {
		parsed, _ := tocsin.ParseKey(key)
		c, err := s.db.Caller(context.Background(), parsed)
		if c == nil || err != nil { // revoked, banned, or the database is closed
			continue
		}
		if used := s.db.Used(c); !s.db.Begin(c, used+1) {
			t.Errorf("at the end a call of a key is in progress, after %d", used)
		}
	}
}

// freeSlots counts how many networks can take one.
func freeSlots(try func(netip.Prefix) bool) (free int) {
	for n := range 2000 {
		if !try(netip.PrefixFrom(netip.AddrFrom4([4]byte{240, byte(n >> 8), byte(n), 0}), 24)) {
			break
		}
		free++
	}
	return free
}
