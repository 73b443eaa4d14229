package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"
)

// adminListener listens on the address of -admin: host:port, :port, which is on the loopback address alone, or
// unix:PATH, a socket that only this user can open. What is served there shows the memory of the process.
func adminListener(address string, log *slog.Logger) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path, 0o600)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usage("-admin %q is not like 127.0.0.1:8403 or unix:/run/tocsin/admin.sock", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with -admin", err)
	}
	if at, err := netip.ParseAddrPort(l.Addr().String()); err == nil && !at.Addr().IsLoopback() {
		log.Warn("-admin is not on a loopback address: its callers can read metrics and the memory of this process",
			"address", l.Addr().String())
	}
	return l, nil
}

// listenUnix listens on a socket in the file system, with these permissions. It takes the place of a socket that a
// process has left which is not there any more.
func listenUnix(path string, mode fs.FileMode) (net.Listener, error) {
	if is, err := os.Lstat(path); err == nil && is.Mode()&fs.ModeSocket != 0 {
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			c.Close()
			return nil, fmt.Errorf("listen unix %s: another process listens there", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// serveAdmin serves until the context ends.
func serveAdmin(ctx context.Context, l net.Listener, handler http.Handler, log *slog.Logger) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stop := context.AfterFunc(ctx, func() { server.Close() }) // a profile in progress is not waited for
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		log.Error("admin: " + err.Error())
	}
}
