package store

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tocsin"
)

// pooled starts pgbouncer in transaction mode in front of the server, with fewer connections to it than one process
// has, and returns the URL of a test's database behind it. It skips the test where pgbouncer is not installed.
func pooled(t *testing.T) string {
	t.Helper()
	onlyPostgres(t)
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
		if _, err := os.Stat(program); err != nil {
			t.Skip("pgbouncer is not installed")
		}
	}
	at, err := pgx.ParseConfig(newPlace(t))
	do(t, err)
	dir, err := os.MkdirTemp("", "pgbouncer")
	do(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	password := ""
	if at.Password != "" {
		password = "password=" + at.Password + " "
	}
	config := filepath.Join(dir, "pgbouncer.ini")
	do(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
tocsin = host=%s port=%d dbname=%s user=%s %sconnect_query='SET search_path TO %s'
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = %s
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_reset_query_always = 1
server_reset_query = DISCARD ALL; SET search_path TO %s
`, at.Host, at.Port, at.Database, at.User, password, at.RuntimeParams["search_path"], dir,
		at.RuntimeParams["search_path"]), 0o644))
	cmd := exec.Command(program, config)
	if os.Getuid() == 0 { // it does not run as root
		nobody, err := user.Lookup("nobody")
		do(t, err)
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		do(t, os.Chown(dir, uid, gid))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	said := new(bytes.Buffer)
	cmd.Stderr = said
	do(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	eventually(t, "pgbouncer listens", func() bool {
		c, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL.6432"))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return "postgres://anyone@/tocsin?port=6432&sslmode=disable&connect_timeout=120&host=" + dir
}

// TestItRunsBehindPgbouncer in transaction mode: two transactions of a connection may have two sessions of the
// server, and a session is reset after each.
func TestItRunsBehindPgbouncer(t *testing.T) {
	path := pooled(t)
	ahead := new(atomic.Int64)
	one := &shelf{DB: open(t, path, ahead), path: path, ahead: ahead}
	other := &shelf{DB: open(t, path, ahead), path: path, ahead: ahead}
	equal(t, "a pooler is noticed", one.dialect.(*postgresDialect).direct.Load(), false)
	one.imports(t, "list", listing(worse, nil))
	a := one.agent(t)
	made, err := one.CreateKey(t.Context(), nil, "", nil)
	do(t, err)
	b, err := other.Caller(t.Context(), made.Key)
	do(t, err)
	var granted atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		for _, s := range []*shelf{one, other} {
			all.Go(func() {
				by, err := s.Caller(context.Background(), made.Key)
				if err != nil {
					t.Error(err)
					return
				}
				if _, ok, err := s.Spend(context.Background(), by, 25); err != nil {
					t.Error(err)
				} else if ok {
					granted.Add(1)
				}
				f := Filing{Draft: story(t, fmt.Sprintf("drainer %d %p", i, s), evil.Value), By: a, Network: network}
				if _, err := s.FileReport(context.Background(), f); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	equal(t, "free calls", granted.Load(), 25)
	found, err := other.Search(t.Context(), []tocsin.Term{{Text: "drainer"}}, "", Page{Limit: 20})
	do(t, err)
	equal(t, "found", found.Found, 40)
	eventually(t, "the other knows all", func() bool {
		d, err := other.AboutSubject(t.Context(), evil, Page{Limit: 5})
		do(t, err)
		return d.ReportCount == 40
	})
	do(t, one.Revoke(t.Context(), b, ""))
	eventually(t, "the key is revoked for the other", func() bool {
		c, err := other.Caller(t.Context(), made.Key)
		do(t, err)
		return c == nil
	})
	claimed := claims(t, one.DB, claimOf(1, 1), Acquired)
	claims(t, other.DB, claimOf(1, 1), InProgress)
	held, err := one.BeginSettlement(t.Context(), claimed)
	do(t, err)
	equal(t, "held", held, true)
	do(t, one.Return(t.Context(), claimed))
}

// TestLeasesAreTimedByTheServersClock: that of a process may be wrong by more than a lease.
func TestLeasesAreTimedByTheServersClock(t *testing.T) {
	onlyPostgres(t)
	path := newPlace(t)
	wrong := func() time.Time { return time.Now().Add(-time.Hour) }
	db, err := Open(t.Context(), path, Options{Now: wrong, Silence: busy})
	do(t, err)
	t.Cleanup(func() { db.Close() })
	db.dialect.(*postgresDialect).ownClock = false
	var before, after int64
	const clock = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
	do(t, db.read(t.Context(), primary, func(s *conn) error {
		err := s.row(t.Context(), clock, nil, &before)
		now := db.leaseNow()
		if err == nil {
			err = s.row(t.Context(), clock, nil, &after)
		}
		if slack := int64(time.Minute / time.Microsecond); now < before-slack || now > after+slack {
			t.Errorf("leases are timed by %d, and the server's clock showed %d and %d", now, before, after)
		}
		return err
	}))
}

// TestAStatementOfAnotherSessionIsExplained: behind a pooler that takes no prepared statements, each call would fail.
func TestAStatementOfAnotherSessionIsExplained(t *testing.T) {
	onlyPostgres(t)
	db := open(t, newPlace(t), new(atomic.Int64))
	ask := func(s *conn) error {
		var one int
		return s.row(t.Context(), "SELECT 1 + $1::int", []any{1}, &one)
	}
	err := db.read(t.Context(), primary, func(s *conn) error {
		do(t, ask(s))
		_, err := s.exec(t.Context(), "DEALLOCATE ALL")
		do(t, err)
		return ask(s)
	})
	const advice = "add default_query_exec_mode=cache_describe to the URL of the database"
	if err == nil || !strings.Contains(err.Error(), advice) {
		t.Errorf("%v, want %q", err, advice)
	}
}
