package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"tocsin/internal/ops"
)

// healthTimeout is how long a server may take to say that it is well.
const healthTimeout = 4 * time.Second

type healthFlags struct {
	*commandLine
	listen string
	ready  bool
}

func newHealth(c *commandLine) runFunc {
	f := &healthFlags{commandLine: c}
	f.StringVar(&f.listen, "listen", "127.0.0.1:8402", "`ADDRESS` that the server listens on, as -listen of serve")
	f.BoolVar(&f.ready, "ready", false, "ask whether requests should be sent to it (/readyz), not only whether it is "+
		"alive (/healthz)")
	return f.run
}

// run asks a server on this machine how it is. It is for where no other program can ask, such as the health check of a
// container that has nothing but this one.
func (f *healthFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if err := checkListen(f.listen); err != nil {
		return err
	}
	network, address := "tcp", f.listen
	if path, ok := strings.CutPrefix(f.listen, "unix:"); ok {
		network, address = "unix", path
	}
	client := http.Client{Timeout: healthTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
	path := ops.AlivePath
	if f.ready {
		path = ops.ReadyPath
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("no answer on %s (-listen names another address): %w", f.listen, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err != nil {
		return err
	}
	says := cmp.Or(strings.TrimSpace(string(text)), res.Status)
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d: %s", path, res.StatusCode, oneLine(says, 1000))
	}
	_, err = fmt.Fprintln(e.stdout, says)
	return err
}
