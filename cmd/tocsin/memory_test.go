package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tocsin/internal/tocsintest"
)

// peak returns the most memory that a process has had at once, in bytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("the peak of a process is not known here: %v", err)
	}
	kib, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)[1]))
	tocsintest.Must(t, err)
	return kib << 10
}

// TestWhatNobodyAsksForTwiceStaysWithinTheMemory asks for random addresses and domains, with random keys, and from
// random networks.
func TestWhatNobodyAsksForTwiceStaysWithinTheMemory(t *testing.T) {
	if watched {
		t.Skip("the race detector takes many times as much memory")
	}
	m := newMachine(t)
	key := m.newKey("-quota", "1000000")
	s := m.serve("-memory", "128MiB", "-trusted-proxies", "127.0.0.1")
	peak(t, s.Process.Pid)
	var work sync.WaitGroup
	for worker := range uint64(4) {
		dice := rand.New(rand.NewPCG(worker, 1))
		work.Go(func() {
			for range 600 {
				addresses := make([]string, 1+dice.IntN(50))
				for i := range addresses {
					addresses[i] = fmt.Sprintf("0xfeed%020x%016x", dice.Uint64(), dice.Uint64())
				}
				if a := s.call("/check", key, map[string]any{"addresses": addresses}); a.count("results") != len(addresses) {
					t.Errorf("a batch: %d", a.status)
					return
				}
			}
			for range 300 {
				s.screen(fmt.Sprintf("n%x.n%x.com", dice.Uint64(), dice.Uint32()), key)
				r, err := http.NewRequest("GET", s.url+fmt.Sprintf("/screen/n%x.com", dice.Uint64()), nil)
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("X-Forwarded-For", fmt.Sprintf("2001:db8:%x::1", dice.IntN(1<<16)))
				r.Header.Set("x-api-key", fmt.Sprintf("toc_%038d", dice.Uint64()))
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	work.Wait()
	if bytes := peak(t, s.Process.Pid); bytes > 128<<20 {
		t.Errorf("it took %d MiB of 128", bytes>>20)
	} else {
		t.Logf("it took %d MiB of 128", bytes>>20)
	}
}

func TestTheMemoryIsSaidInMiBOrGiB(t *testing.T) {
	for text, want := range map[string]memory{
		"128MiB": 128 << 20, "512MiB": 512 << 20, "2GiB": 2 << 30, "127MiB": 0, "0GiB": 0, "512": 0, "512MB": 0, "-1GiB": 0,
		"": 0, "1.5GiB": 0, "9999999GiB": 0,
	} {
		var m memory
		if err := m.Set(text); (err == nil) != (want > 0) || m != want {
			t.Errorf("%q is %d, %v", text, m, err)
		}
	}
	tocsintest.Want(t, "as text", []any{memory(0).String(), memory(512 << 20).String(), memory(2 << 30).String()},
		[]any{"", "512MiB", "2048MiB"})
	m := newMachine(t)
	m.fails(exitUsage, `-memory: it is not like 512MiB or 2GiB`, "serve", "-memory", "lots")
	m.with("TOCSIN_MEMORY=1MiB").fails(exitUsage, `TOCSIN_MEMORY is "1MiB": it is less than 128MiB`, "serve")
}

// TestTheSharesAreWithinTheMemory, and leave room for requests and garbage.
func TestTheSharesAreWithinTheMemory(t *testing.T) {
	for _, m := range []memory{minMemory, 256 << 20, mostByDefault, 16 << 30} {
		s := m.shares()
		kept := s.store.Evidence + s.store.Callers + s.limits
		if int64(s.store.Pages)+s.heap+fixed > int64(m) || int64(kept) > s.heap/2 {
			t.Errorf("%v: %+v", m, s)
		}
	}
}

// TestHowTheMemoryIsShared, in KiB.
func TestHowTheMemoryIsShared(t *testing.T) {
	s := memory(512 << 20).shares()
	tocsintest.Want(t, "heap, pages, model, dossiers, callers, limits", []int{int(s.heap) >> 10, s.store.Pages >> 10,
		s.store.Model >> 10, s.store.Evidence >> 10, s.store.Callers >> 10, s.limits >> 10},
		[]int{362_496, 120_832, 90_624, 135_936, 11_328, 22_656})
}

func TestTheMemoryIsPartOfWhatTheMachineHas(t *testing.T) {
	const giga, none = "MemTotal: 1048576 kB\n", "max\n"
	for about, c := range map[string]struct {
		files []string // names and contents in turn
		want  memory
	}{
		"nothing is known":    {nil, 512 << 20},
		"a large machine":     {[]string{"proc/meminfo", "MemTotal: 65536000 kB\n"}, 512 << 20},
		"a small machine":     {[]string{"proc/meminfo", giga}, 256 << 20},
		"a tiny machine":      {[]string{"proc/meminfo", "MemTotal: 262144 kB\n"}, 128 << 20},
		"a container":         {[]string{"proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "402653184\n"}, 192 << 20},
		"a tiny container":    {[]string{"proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", "67108864\n"}, 128 << 20},
		"a container without": {[]string{"proc/self/cgroup", "0::/\n", "sys/fs/cgroup/memory.max", none}, 512 << 20},
		"a unit of systemd": {[]string{"proc/self/cgroup", "0::/system.slice/tocsin.service\n",
			"sys/fs/cgroup/memory.max", none,
			"sys/fs/cgroup/system.slice/memory.max", "402653184\n",
			"sys/fs/cgroup/system.slice/tocsin.service/memory.max", "805306368\n"}, 192 << 20},
		"version 1": {[]string{"proc/self/cgroup", "5:cpu:/x\n4:memory:/docker/a\n", "proc/meminfo", giga,
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "402653184\n"}, 192 << 20},
		"lines of other forms": {[]string{"proc/self/cgroup", "x\n3:memory\n4:memory:/\n", "proc/meminfo", "MemFree: 1 kB\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "402653184\n"}, 192 << 20},
		"a limit of nothing": {[]string{"proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/memory.max", "402653184\n",
			"sys/fs/cgroup/memory.max", "0\n"}, 192 << 20},
		"version 1, unlimited": {[]string{"proc/self/cgroup", "4:memory:/\n", "proc/meminfo", giga,
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}, 256 << 20},
	} {
		root := t.TempDir()
		for i := 0; i < len(c.files); i += 2 {
			name := filepath.Join(root, c.files[i])
			tocsintest.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
			tocsintest.Must(t, os.WriteFile(name, []byte(c.files[i+1]), 0o600))
		}
		tocsintest.Want(t, about, defaultMemory(root), c.want)
	}
	if text := defaultMemory("").String(); !strings.HasSuffix(text, "MiB") {
		t.Errorf("on this machine it is %q", text)
	}
}
