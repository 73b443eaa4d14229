package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"tocsin/internal/pgtest"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

// postgres is a server of a test's own.
type postgres struct {
	*machine
	programs, dir string
}

// noPostgres is the place of a server that is yet to be made.
func (m *machine) noPostgres() *postgres {
	m.Helper()
	initdb, err := filepath.EvalSymlinks(need(m.T, "initdb", "/usr/lib/postgresql/*/bin/initdb"))
	tocsintest.Must(m, err)
	programs := filepath.Dir(initdb)       // beside those that are linked from elsewhere
	dir, err := os.MkdirTemp("", "tocsin") // those of tests are closed to other users
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { os.RemoveAll(dir) })
	p := &postgres{m, programs, dir}
	m.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); err == nil {
			p.stop("immediate")
		}
	})
	if os.Getuid() == 0 { // it must not run as root
		if err := os.Chown(p.dir, 65534, 65534); err != nil {
			m.Fatal(err)
		}
	}
	return p
}

// postgres starts a server.
func (m *machine) postgres() *postgres {
	m.Helper()
	p := m.noPostgres()
	p.ctl("initdb", "-D", "data", "-U", "tests", "-A", "trust", "-E", "UTF8", "--no-sync")
	p.start()
	return p
}

// start starts it when it is stopped.
func (p *postgres) start() {
	p.Helper()
	p.ctl("pg_ctl", "-D", "data", "-l", "log", "-w", "start", "-o", "-k '"+p.dir+"' -c listen_addresses= -c fsync=off")
}

// ctl runs a program of the server.
func (p *postgres) ctl(program string, args ...string) {
	p.Helper()
	args = append([]string{filepath.Join(p.programs, program)}, args...)
	if os.Getuid() == 0 {
		args = append([]string{need(p.T, "setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"}, args...)
	}
	c := exec.Command(args[0], args[1:]...)
	c.Dir = p.dir
	log, err := os.Create(filepath.Join(p.machine.dir, "ctl.log")) // not a pipe, which the server would keep open
	if err != nil {
		p.Fatal(err)
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		p.Errorf("%s: %v: %s", program, err, text)
	}
}

// stop stops it: "fast" as a system that shuts down, "immediate" as a crash.
func (p *postgres) stop(how string) {
	p.Helper()
	p.ctl("pg_ctl", "-D", "data", "-m", how, "stop")
}

// url is where its database is.
func (p *postgres) url() string { return "postgres://tests@/postgres?host=" + p.dir }

// cut ends all connections.
func (p *postgres) cut() {
	p.Helper()
	pgtest.Exec(p, p.url(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "+
		"WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
}

// standBy makes a server that has all that another one has acknowledged, from now on.
func (p *postgres) standBy(primary *postgres) {
	p.Helper()
	tocsintest.Must(p, os.RemoveAll(filepath.Join(p.dir, "data")))
	p.ctl("pg_basebackup", "-D", "data", "-R", "-c", "fast", "-U", "tests", "-h", primary.dir, "--no-sync")
	p.start()
	pgtest.Exec(p, primary.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'")
	pgtest.Exec(p, primary.url(), "SELECT pg_reload_conf()")
	p.soon("it is waited for", func() bool {
		db, err := pgx.Connect(p.Context(), primary.url()) // one that is open may not know yet
		if err != nil {
			return false
		}
		defer db.Close(p.Context())
		var synchronous int
		const query = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
		err = db.QueryRow(p.Context(), query).Scan(&synchronous)
		return err == nil && synchronous == 1
	})
}

// takeOver makes a primary of a standby, which waits for none itself.
func (p *postgres) takeOver() {
	p.Helper()
	p.ctl("pg_ctl", "-D", "data", "-w", "promote")
	pgtest.Exec(p, p.url(), "ALTER SYSTEM RESET synchronous_standby_names")
	pgtest.Exec(p, p.url(), "SELECT pg_reload_conf()")
}

// TestNothingIsLostWhateverBecomesOfPostgres: its connections are cut, it is restarted, it crashes, it is stopped
// for a while, and a standby takes its place. Until one is back there are clear errors, and nothing is to be restarted.
func TestNothingIsLostWhateverBecomesOfPostgres(t *testing.T) {
	m := newMachine(t)
	primary, standby := m.postgres(), m.noPostgres()
	m = m.with("TOCSIN_DB=postgres://tests@/postgres?host=" + primary.dir + "," + standby.dir +
		"&target_session_attrs=read-write")
	f := x402test.NewFacilitator()
	defer f.Close()
	s := m.serve(append(manyFilings, "-base-url", "https://tocsin.example", "-memory", "128MiB", "-pay-to", payTo,
		"-facilitator", f.URL)...)
	c := m.newCluster(f)
	c.url = s.url
	c.acknowledge(1)
	var clients, filers sync.WaitGroup
	var seen map[string]int
	filers.Go(func() { c.filer(2) })
	filers.Go(func() { c.filer(3) })
	clients.Go(c.reader)
	clients.Go(c.payer)
	clients.Go(func() { seen = c.follow() })
	c.goesOn("at first")
	for range max(1, rounds(t)/5) {
		primary.cut()
		c.goesOn("its connections were cut")
		primary.stop("fast")
		c.soon("it is said", func() bool {
			status, text := s.page("/readyz")
			return status == http.StatusServiceUnavailable && text != ""
		})
		primary.start()
		c.goesOn("it was stopped for a while")
		if !c.countsMayBeLost {
			c.keepsToTheQuota()
		}
		c.countsMayBeLost = true
		primary.stop("immediate")
		primary.start()
		c.goesOn("it has crashed")
		standby.standBy(primary)
		c.goesOn("there is a standby")
		primary.stop("immediate")
		standby.takeOver()
		c.goesOn("the standby has taken over")
		primary, standby = standby, primary
	}
	c.ended.Store(true)
	filers.Wait()
	c.allFiled.Store(true)
	clients.Wait()
	c.complete(seen)
	m.want("check", m.run("check").status, exitOK)
}
