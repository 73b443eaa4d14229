package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"tocsin/internal/front"
)

// Permissions of sockets in the file system. A proxy in the group of the server may connect to the service; what is
// served on the socket of -admin shows the memory of the process, and is for its own user.
const (
	serviceSocket fs.FileMode = 0o660
	adminSocket   fs.FileMode = 0o600
)

// checkListen checks the form of -listen: host:port or unix:PATH. A socket that is not in the file system (@NAME) would
// have no permissions.
func checkListen(address string) error {
	_, _, err := net.SplitHostPort(address)
	if path, ok := strings.CutPrefix(address, "unix:"); ok && path != "" && path[0] != '@' {
		err = nil
	} else if ok {
		err = fs.ErrInvalid
	}
	if err != nil {
		return usage("-listen %q is not like 127.0.0.1:8402 or unix:/run/tocsin/tocsin.sock", address)
	}
	return nil
}

// listen returns the listener of the service, and its URL for callers on this machine, "" if it is a socket in the
// file system. A socket that systemd passes takes the place of -listen.
func listen(e env, address string) (net.Listener, string, error) {
	l, err := activated(e)
	if l == nil && err == nil {
		if path, ok := strings.CutPrefix(address, "unix:"); ok {
			l, err = listenUnix(path, serviceSocket)
		} else {
			l, err = net.Listen("tcp", address)
		}
		if err != nil {
			err = fmt.Errorf("%w; choose another address with -listen", err)
		}
	}
	if err != nil {
		return nil, "", err
	}
	if _, ok := l.Addr().(*net.UnixAddr); ok {
		return l, "", nil
	}
	return l, localURL(l.Addr()), nil
}

// place is where a listener listens, as -listen names it.
func place(l net.Listener) string {
	if at, ok := l.Addr().(*net.UnixAddr); ok {
		return "unix:" + at.Name
	}
	return l.Addr().String()
}

// listenUnix listens on a socket in the file system, with these permissions from its first moment. It takes the place
// of a socket that a process has left, but not of one on which somebody listens, however busy.
func listenUnix(path string, mode fs.FileMode) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		c, err := net.DialTimeout("unix", path, time.Second)
		switch {
		case err == nil:
			c.Close()
			return nil, fmt.Errorf("listen unix %s: another process listens there", path)
		case !errors.Is(err, syscall.ECONNREFUSED): // the backlog is full, or it is not ours
			return nil, fmt.Errorf("listen unix %s: whether anybody listens there is not known: %w", path, err)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	defer withUmask(0o777 &^ mode)()
	return net.Listen("unix", path)
}

// localURL returns the URL of a listen address for callers on this machine.
func localURL(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// warnOfSocket warns if the service is on a socket in the file system and all that comes through it counts as one
// client.
func warnOfSocket(log *slog.Logger, l net.Listener, d *front.Deployment) {
	if _, ok := l.Addr().(*net.UnixAddr); ok && !d.Trusts(front.ThisMachine) {
		log.Warn("all clients of the socket share the limits of one network: " +
			"name the proxy there with -trusted-proxies 127.0.0.1")
	}
}
