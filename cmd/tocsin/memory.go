package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"

	"tocsin/internal/store"
)

// memory is how much memory a server may take, in bytes: the flag -memory.
type memory int64

const (
	minMemory     = 128 << 20
	mostByDefault = 512 << 20
	// fixed is what the program takes outside of the heap and of SQLite's pages: its text and data, the stacks of
	// its threads, prepared statements.
	fixed = 40 << 20
)

// String returns the number of MiB, as Set reads it.
func (m memory) String() string {
	if m == 0 {
		return ""
	}
	return fmt.Sprintf("%dMiB", m>>20)
}

var memoryForm = regexp.MustCompile(`^([0-9]{1,6})(MiB|GiB)$`)

// Set reads a number of MiB or GiB: 512MiB.
func (m *memory) Set(text string) error {
	parts := memoryForm.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("it is not like 512MiB or 2GiB")
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return err
	}
	if n <<= 20; parts[2] == "GiB" {
		n <<= 10
	}
	if n < minMemory {
		return fmt.Errorf("it is less than %v", memory(minMemory))
	}
	*m = memory(n)
	return nil
}

// shares are what the parts of a server may take of its memory, in bytes.
type shares struct {
	heap   int64        // of the runtime, garbage included
	store  store.Memory // all but its pages is in the heap
	limits int          // counts by network and by caller, in the heap
}

// shares divides the memory. Three eighths of the heap are for dossiers and the read model, of which the model takes
// two thirds at most; half of it is for requests in progress, and for garbage that was not collected yet.
func (m memory) shares() shares {
	rest := int64(m) - fixed
	pages := rest / 4
	heap := rest - pages
	return shares{
		heap:   heap,
		store:  store.Memory{Model: int(heap / 4), Evidence: int(heap / 8 * 3), Callers: int(heap / 32), Pages: int(pages)},
		limits: int(heap / 16),
	}
}

// garbage is how much there may be, in per cent of what is kept: frequent collections cost more than the memory that
// they save, up to the limit.
const garbage = 400

// limitHeap passes the limit of the heap to the runtime, unless the environment does.
func (s shares) limitHeap(lookup func(string) (string, bool)) {
	if _, set := lookup("GOGC"); !set {
		debug.SetGCPercent(garbage)
	}
	if _, set := lookup("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(s.heap)
	}
}

// collectBeside has garbage collected as often as without a read model of so many bytes. The collector would let the
// garbage grow with all that is kept, although the model makes none.
func (s shares) collectBeside(model int, lookup func(string) (string, bool)) {
	const rest = 32 << 20 // what else is kept, about
	if _, set := lookup("GOGC"); !set {
		debug.SetGCPercent(int(int64(garbage) * rest / int64(rest+model)))
	}
	debug.FreeOSMemory() // what the load has left
}

// defaultMemory is half of what the control group of the process may take, or a quarter of what the machine has, within
// bounds. Root is where the files of the system are.
func defaultMemory(root string) memory {
	most := int64(mostByDefault)
	if limit := controlGroupLimit(root); limit > 0 {
		most = min(most, limit/2)
	}
	if text, err := os.ReadFile(root + "/proc/meminfo"); err == nil {
		var kib int64
		if n, _ := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); n == 1 {
			most = min(most, kib<<10/4)
		}
	}
	return memory(max(minMemory, most))
}

// controlGroupLimit returns the lowest limit of memory among the control group of the process and those above it, in
// version 2 or 1; 0 for none.
func controlGroupLimit(root string) (lowest int64) {
	groups, err := os.ReadFile(root + "/proc/self/cgroup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(parts) != 3 {
			continue
		}
		dir, name := root+"/sys/fs/cgroup", "memory.max"
		switch parts[1] {
		case "":
		case "memory":
			dir, name = dir+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) { // in a container only the topmost may be seen
			if text, err := os.ReadFile(path.Join(dir, at, name)); err == nil {
				n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // or "max"
				if err == nil && n > 0 && (lowest == 0 || n < lowest) {
					lowest = n
				}
			}
			if at == "/" {
				break
			}
		}
	}
	return lowest
}
