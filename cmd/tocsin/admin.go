package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// adminListener listens on the address of -admin: host:port, :port, which is on the loopback address alone, or
// unix:PATH, a socket that only this user can open. What is served there shows the memory of the process.
func adminListener(address string, log *slog.Logger) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path, adminSocket)
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

// sameAddress reports whether -listen names the address that -admin has taken already.
func sameAddress(listen, admin string) bool {
	host, port, err := net.SplitHostPort(listen)
	at, adminPort, fault := net.SplitHostPort(admin)
	if err != nil || fault != nil {
		return listen == admin
	}
	return port == adminPort && (host == "" || host == cmp.Or(at, "127.0.0.1"))
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
