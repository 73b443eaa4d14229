package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"
)

// firstPassed is the file descriptor of the first socket that systemd passes (SD_LISTEN_FDS_START, sd_listen_fds(3)).
const firstPassed = 3

// activated returns the listener of the socket that systemd passes to this process, nil if it passes none
// (sd_listen_fds(3)). More than one is an error.
func activated(e env) (net.Listener, error) {
	if pid, _ := e.lookup("LISTEN_PID"); pid != strconv.Itoa(os.Getpid()) {
		return nil, nil // it is for another process
	}
	text, _ := e.lookup("LISTEN_FDS")
	switch n, err := strconv.Atoi(text); {
	case err != nil:
		return nil, fmt.Errorf("LISTEN_FDS is %q, which is no number of sockets", text)
	case n == 0:
		return nil, nil
	case n > 1:
		return nil, fmt.Errorf("systemd passes %d sockets, and serve takes one: keep one ListenStream= in the socket unit", n)
	}
	file := os.NewFile(firstPassed, "systemd")
	defer file.Close() // the listener has a copy
	l, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("the socket that systemd passes: %w", err)
	}
	return l, nil
}

// supervisor is the service manager that started this process, if it wants to know its state (sd_notify(3)). Without
// one it does nothing.
type supervisor struct {
	socket   string        // an address of unixgram; "" for none
	watchdog time.Duration // how long it waits for a sign of life; 0 if for none
	log      *slog.Logger
}

func newSupervisor(e env, log *slog.Logger) *supervisor {
	s := &supervisor{log: log}
	s.socket, _ = e.lookup("NOTIFY_SOCKET")
	text, _ := e.lookup("WATCHDOG_USEC")
	pid, forOne := e.lookup("WATCHDOG_PID")
	if us, err := strconv.ParseInt(text, 10, 64); err == nil && us > 0 && (!forOne || pid == strconv.Itoa(os.Getpid())) {
		s.watchdog = time.Duration(us) * time.Microsecond
	}
	return s
}

// say sends a state, such as READY=1.
func (s *supervisor) say(state string) {
	if s.socket == "" {
		return
	}
	c, err := net.Dial("unixgram", s.socket)
	if err == nil {
		defer c.Close()
		_, err = c.Write([]byte(state))
	}
	if err != nil {
		s.log.Warn("the service manager does not take the state of this process: "+err.Error(), "state", state)
	}
}

// live sends a sign of life twice as often as one is waited for, until the context ends.
func (s *supervisor) live(ctx context.Context) {
	if s.socket == "" || s.watchdog < 2 {
		return
	}
	tick := time.NewTicker(s.watchdog / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.say("WATCHDOG=1")
		}
	}
}
