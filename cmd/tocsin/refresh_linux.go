package main

import (
	"fmt"
	"os"
	"syscall"
)

// thisProgram is the file of this process: also after a newer one has taken its place.
func thisProgram() (string, error) { return "/proc/self/exe", nil }

// yield puts a process behind the server: it has the processor when the server leaves it, and the kernel ends it first
// when memory runs out. If that cannot be set, so be it.
func yield(pid int) {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, 10)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("500"), 0)
}
