package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/importer"
	"tocsin/internal/limits"
	"tocsin/internal/mcp"
)

type mcpFlags struct {
	nameFlags
	baseURL string
}

func newMCP(c *commandLine) runFunc {
	f := &mcpFlags{nameFlags: nameFlags{commandLine: c}}
	f.nameFlags.register()
	f.StringVar(&f.baseURL, "base-url", "http://127.0.0.1:8402",
		"`URL` of the server on the same database, for links to reports")
	return f.run
}

// run serves a client that started the program, such as a desktop assistant. The
// database must exist: an empty one would answer that nothing is on record.
func (f *mcpFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	base, err := parseBaseURL(f.baseURL)
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := importer.LoadStarter(ctx, db); err != nil {
		return fmt.Errorf("load starter set: %w", err)
	}
	log := front.NewLog(e.stderr, front.LogOptions{})
	if warning, err := sanctionsWarning(ctx, db); err != nil {
		return err
	} else if warning != "" {
		log.Warn(warning)
	}
	names, model, err := f.detector()
	if err != nil {
		return err
	}
	model.followLogged(log)
	handler, err := api.New(db, api.Config{Names: names, Deployment: front.Deployment{
		BaseURL: base,
		Version: version,
		Limits:  limits.Config{Filings: math.MaxInt32},
		Log:     log,
		Now:     time.Now,
	}})
	if err != nil {
		return err
	}
	server, err := mcp.New(handler, true)
	if err != nil {
		return err
	}
	return server.Run(ctx, e.stdin, e.stdout)
}
