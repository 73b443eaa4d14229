package main

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tocsin/internal/pgtest"
)

// TestServersOnPostgresShareWhatWasMoved: the program itself, with a file that is moved and two servers on the result.
func TestServersOnPostgresShareWhatWasMoved(t *testing.T) {
	url := pgtest.Database(t)
	if url == "" {
		t.Skip("name a PostgreSQL server in " + pgtest.Variable)
	}
	m := newMachine(t)
	key := m.newKey("-quota", "3")
	list := m.must("report", "list")
	m.fails(exitUsage, "-to", "migrate", "-from", "tocsin.db", "-to", "other.db")
	m.fails(exitUsage, "-from", "migrate", "-to", url)
	out := m.with("TOCSIN_TO="+url).must("migrate", "-from", "tocsin.db")
	m.want("rows of table key", strings.Contains(strings.Join(strings.Fields(out), " "), "key 1 "), true)
	m.fails(exitFailure, "not empty", "migrate", "-from", "tocsin.db", "-to", url)
	m.want("reports", m.must("report", "list", "-db", url), list)
	m.fails(exitFailure, "pg_dump", "backup", "copy.db", "-db", url)

	on := m.with("TOCSIN_DB=" + url)
	var servers []*server
	for range 3 {
		servers = append(servers, on.serve())
	}
	var answered atomic.Int64
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			switch status := servers[i%3].screen("0x098B716B8Aaf21512996dC57EB0615e2383E2f96", key).status; status {
			case http.StatusOK:
				answered.Add(1)
			case http.StatusPaymentRequired:
			default:
				t.Errorf("the status is %d", status)
			}
		})
	}
	all.Wait()
	m.want("free answers of three servers", answered.Load(), int64(3))
	on.must("key", "revoke", key)
	for _, s := range servers {
		m.soon("the key is revoked everywhere", func() bool {
			return s.call("/me", key, nil).body["authenticated"] == false
		})
	}
}
