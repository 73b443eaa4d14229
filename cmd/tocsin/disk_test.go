package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tocsin/internal/tocsintest"
)

// TestAFullDiskTakesNoReportAndLosesNone: the server has a file system of its own, of some MB, which another file fills
// while it serves. Reports are refused and can be read, and when there is room again they are taken, without a restart.
func TestAFullDiskTakesNoReportAndLosesNone(t *testing.T) {
	m := newMachine(t)
	m.afterFirstStart()
	key := m.newKey("-quota", "1000000")
	mount := fmt.Sprintf(`mkdir disk && mount -t tmpfs -o size=%dm disk disk && cp tocsin.db disk/ && exec "$@"`,
		8+rounds(t)) // what is acknowledged in each round stays
	unshare := need(t, "unshare")
	out, err := exec.Command(unshare, "-rm", "mount", "-t", "tmpfs", "tried", t.TempDir()).CombinedOutput()
	if err != nil {
		t.Skipf("this user may not mount a file system: %v %s", err, out)
	}
	c := m.command(append([]string{"serve", "-listen", "127.0.0.1:0", "-db", "disk/tocsin.db"}, manyFilings...)...)
	c.Args, c.Path = slices.Concat([]string{unshare, "-rm", "sh", "-c", mount, "sh"}, c.Args), unshare
	s := m.start(c)
	s.url = s.says(&s.out, `http://127\.0\.0\.1:\d+`)
	disk := fmt.Sprintf("/proc/%d/root%s", s.Process.Pid, filepath.Join(m.dir, "disk"))

	var acknowledged []string
	file := func() (status int) {
		t.Helper()
		d := story(fmt.Sprint("Report ", len(acknowledged)), address(len(acknowledged)))
		d["description"] = strings.Repeat("It took all that I had. ", 300)
		a := s.call("/community-reports", key, d)
		switch {
		case a.status == http.StatusCreated:
			acknowledged = append(acknowledged, a.body["id"].(string))
		case a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" ||
			a.body["detail"] != "The disk of this service is full. Nothing was recorded":
			t.Errorf("a report on a full disk: %d %v", a.status, a.body)
		}
		return a.status
	}
	m.want("at first", file(), http.StatusCreated)
	for round := range rounds(t) {
		filler, err := os.Create(filepath.Join(disk, "filler"))
		tocsintest.Must(t, err)
		for block := make([]byte, 4096); err == nil; {
			_, err = filler.Write(block)
		}
		m.want("it is full", errors.Is(err, syscall.ENOSPC), true)
		tocsintest.Must(t, filler.Close())
		refused := 0
		for range 2000 { // some have room in what the log has already
			if file() != http.StatusCreated {
				refused++
			}
			if refused == 5 {
				break
			}
		}
		m.want(fmt.Sprint("reports refused, round ", round), refused, 5)
		m.want("reports are read", s.call("/community-reports/"+acknowledged[0], "", nil).status, http.StatusOK)
		tocsintest.Must(t, os.Remove(filler.Name()))
		m.soon("reports are taken again", func() bool { return file() == http.StatusCreated })
	}
	for _, id := range acknowledged {
		m.want("an acknowledged report", s.call("/community-reports/"+id, "", nil).status, http.StatusOK)
	}
	tocsintest.Must(t, s.Process.Signal(syscall.SIGSTOP)) // its file system ends with it
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(filepath.Join(disk, "tocsin.db"+suffix))
		tocsintest.Must(t, err)
		tocsintest.Must(t, os.WriteFile(filepath.Join(m.dir, "copy.db"+suffix), text, 0o600))
	}
	m.must("check", "-db", "copy.db")
	t.Logf("%d reports acknowledged", len(acknowledged))
}
