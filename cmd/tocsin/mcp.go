package main

import (
	"context"
	"log/slog"
	"math"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/mcp"
)

func mcpFlags(f *flags) {
	f.StringVar(&f.baseURL, "base-url", "http://127.0.0.1:8402", "`URL` of the server on the same database, for the addresses of reports")
}

// serveClient is for a client that starts the program itself, such as an
// assistant on the operator's desktop: it speaks on standard input and output.
// The database must be there: an empty one would answer that nothing is on record.
func serveClient(ctx context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
		return err
	}
	base, err := f.base()
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	log := slog.New(slog.NewTextHandler(w.err, nil))
	if done, err := db.Imported(ctx, feed.OFAC); err != nil {
		return err
	} else if !done {
		log.Warn("no sanctions are on record, so none will be found: run `tocsin import ofac`")
	}
	handler, err := api.New(db, api.Config{Deployment: front.Deployment{BaseURL: base, Version: version, Filings: math.MaxInt32, Log: log, Now: time.Now}})
	if err != nil {
		return err
	}
	server, err := mcp.New(handler, true)
	if err != nil {
		return err
	}
	return server.Run(ctx, w.in, w.out)
}
