package store

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// controlSocket gives a connection up when what was sent is not confirmed for some time, as when the network to the
// server is cut: TCP itself goes on for a quarter of an hour (tcp(7), TCP_USER_TIMEOUT).
func controlSocket(_, _ string, c syscall.RawConn) error {
	const unconfirmed = 10 * time.Second
	return c.Control(func(fd uintptr) {
		// It fails for the sockets of Unix, which have no need of it.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unconfirmed.Milliseconds()))
	})
}
