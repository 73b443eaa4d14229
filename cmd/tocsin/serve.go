package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/discovery"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/importer"
	"tocsin/internal/mcp"
	"tocsin/internal/ops"
	"tocsin/internal/store"
	"tocsin/internal/web"
)

// drainTimeout is how long requests in progress may take after SIGTERM.
const drainTimeout = 20 * time.Second

func (f *serveFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.memory == 0 {
		f.memory = defaultMemory("")
	}
	config, err := f.apiConfig()
	if err != nil {
		return err
	}
	lists, err := f.refresh.names()
	if err != nil {
		return err
	}
	config.Refresh = api.Refresh{Every: f.refresh.every, Lists: lists}
	form, err := f.log.options()
	if err != nil {
		return err
	}
	var model *modelFile
	if config.Names, model, err = f.names.detector(); err != nil {
		return err
	}
	config.Refused = model.refused
	ctx, stop := untilSignal(ctx)
	defer stop()
	surviveReaders()
	config.Health = health.New(config.Now, func(t health.Trouble, begun bool) { logTrouble(config.Log, t, begun) })
	log := newLogQueue(e.stderr, form, config.Health, config.Now)
	defer log.flush()
	config.Log = front.NewLog(log, form)
	spans, err := newTraces(e.lookup, config.Log, &config.Deployment)
	if err != nil {
		return err
	}
	var metrics *ops.Metrics
	var admin net.Listener
	if f.admin != "" {
		if admin, err = adminListener(f.admin, config.Log); err != nil {
			return err
		}
		defer admin.Close()
		metrics = ops.NewMetrics(version)
		config.Meter = metrics
	}
	askSignals, err := f.signals.begin(&config, metrics)
	if err != nil {
		return err
	}
	if config.Node, err = f.node(ctx, config.Log); err != nil {
		return err
	}
	nodes, err := f.nodes(ctx, config.Log, config.Node)
	if err != nil {
		return err
	}
	if config.Payments, err = f.payments(e.lookup, config.Node); err != nil {
		return err
	}
	if config.Chain, err = f.chain(); err != nil {
		return err
	}
	listener, at, err := listen(e, f.listen)
	if err != nil {
		if sameAddress(f.listen, f.admin) {
			return usage("-admin and -listen are the same address")
		}
		return err
	}
	defer listener.Close()
	if config.BaseURL = cmp.Or(config.BaseURL, at); config.BaseURL == "" {
		return usage("-listen %s needs -base-url: callers reach a socket through a proxy, whose URL is not known here",
			place(listener))
	}
	shares := f.memory.shares()
	shares.limitHeap(e.lookup) // from here on, because most of a start is garbage
	begins := f.begins()
	db, err := store.Open(ctx, f.db, store.Options{
		Elapsed:     elapsed(),
		AcceptClock: f.acceptClock,
		ReadOnly:    f.readOnly,
		Health:      config.Health,
		Memory:      shares.store,
		Keep:        f.keep(),
		Failed: func(task string, err error) {
			config.Log.Error("upkeep failed; it is tried again", "task", task, "error", err)
		},
		Loaded: func(m store.ModelLoad) {
			logModel(config.Log, m, shares.store.Model)
			if m.TooLarge {
				m.Bytes = 0 // it was dropped
			}
			shares.collectBeside(m.Bytes, e.lookup)
		},
	})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := f.log.apply(ctx, db, &config.Deployment); err != nil {
		return err
	}
	warnOfSocket(config.Log, listener, &config.Deployment)
	logStart(config.Log, db.Name(), place(listener), config.BaseURL, f.admin)
	for _, name := range unknownVariables(e.environ) {
		config.Log.Warn("this variable of the environment means nothing: is its name mistyped?", "variable", name)
	}
	if begins {
		config.Log.Warn("began a new, empty database: if there is one already, -db is wrong or its disk is not mounted")
	}
	if readOnly, err := db.ReadOnly(ctx); err != nil {
		return err
	} else if readOnly && !f.readOnly {
		config.Log.Warn("the database is read-only: nothing is recorded until `tocsin read-only off`")
	} else if f.readOnly {
		config.Log.Warn("this server is read-only, by -read-only: it records nothing")
	}
	if err := importer.LoadStarter(ctx, db); err != nil {
		return fmt.Errorf("load starter set: %w", err)
	}
	if warning, err := sanctionsWarning(ctx, db); err != nil {
		return err
	} else if warning != "" {
		if slices.Contains(lists, feed.OFAC) {
			warning += " (-refresh does it)"
		}
		config.Log.Warn(warning)
	}
	if config.Contact == "" {
		config.Log.Warn("no contact: set -contact mailto:… or https://…; without it pages say that nobody can be " +
			"asked about a wrong report, and there is no security.txt")
	}
	if model.followLogged(config.Log); config.Names.Model() == nil {
		config.Log.Info("names are judged by rules alone: there is no model; tocsin train makes one")
	}
	handler, err := api.New(db, config)
	if err != nil {
		return err
	}
	site, err := web.New(db, handler, nodes...)
	if err != nil {
		return err
	}
	documents, err := discovery.New(handler, discovery.Served{Pages: site.Pages, Revisions: mcp.Revisions()})
	if err != nil {
		return err
	}
	tools, err := mcp.New(handler, false)
	if err != nil {
		return err
	}
	limited := handler.Deployment().Limit(listener, f.connections)
	door := front.New(handler.Deployment())
	door.LimitRequests(handler.Budgets().Requests)
	door.LimitWork()
	door.HandleBelow(handler.Contract().Base+"/", handler)
	door.Handle("/api/", handler)
	door.Handle(mcp.Path, tools)
	documents.Mount(door)
	door.Handle("/", site)
	ops.Mount(door, db, config.Health, config.Now)
	server := f.httpServer(door)
	server.ConnState, server.ConnContext = limited.State, limited.Context
	server.ErrorLog = slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn)
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	if len(config.Payments.Accounts) == 0 {
		config.Log.Info("payments are off: neither -pay-to nor -pay-to-solana is set")
		if f.facilitator != "" {
			config.Log.Warn("-facilitator has no effect while payments are off")
		}
	}
	for _, a := range config.Payments.Accounts {
		if config.Payments.Chains[a.ID] == nil {
			config.Log.Info("no node for this network (-rpc-url, -rpc-url-solana): "+
				"a payment whose outcome the facilitator does not report may stay unresolved", "network", a.ID)
		}
		config.Log.Info("payments are on", "network", a.ID, "asset", a.Asset, "payTo", a.PayTo,
			"facilitator", config.Payments.Facilitator.Origin())
	}
	background, finish := context.WithCancel(context.WithoutCancel(ctx))
	defer finish()
	shareLimits, err := handler.ShareLimits(ctx)
	if err != nil {
		return err
	}
	var tasks sync.WaitGroup
	if admin != nil {
		metrics.Watch(ops.Sources{
			DB:      db,
			API:     handler,
			Board:   config.Health,
			Dropped: log.lost.Load,
			Spans:   spans.counts,
			Memory:  int64(f.memory),
		})
		tasks.Go(func() { serveAdmin(background, admin, metrics.Admin(), config.Log) })
		config.Log.Info("metrics and profiles are served", "admin", admin.Addr().String())
	}
	tasks.Go(func() { handler.Reconcile(background) })
	tasks.Go(func() { shareLimits(background) })
	tasks.Go(func() { spans.run(background) })
	tasks.Go(func() { askSignals(background) })
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(limited) }()
	name := cmp.Or(at, place(listener))
	if config.BaseURL != at {
		name += " as " + config.BaseURL
	}
	key := ""
	if f.firstKey {
		if key, err = firstKey(ctx, db, systemUser(e), cmp.Or(at, config.BaseURL)+handler.Contract().Base,
			config.Quota); err != nil {
			return err
		}
	}
	if err := f.log.announce(e, config.Log, name, key); err != nil {
		return err
	}
	db.LoadModel()
	manager := newSupervisor(e, config.Log)
	manager.say("READY=1")
	tasks.Go(func() { manager.live(background) })
	upkeep := &upkeepLog{db: db, log: config.Log, model: model, board: config.Health, api: handler}
	tasks.Go(func() { upkeep.begin(ctx) })
	tasks.Go(func() { f.refresh.begin(ctx, lists, db, &f.names, upkeep) })
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	manager.say("STOPPING=1")
	config.Log.Info("stopping: waiting for requests in progress")
	stopping := time.Now()
	drainCtx, cancel := context.WithTimeout(background, drainTimeout)
	defer cancel()
	if err := server.Shutdown(drainCtx); err != nil {
		return fmt.Errorf("requests were still in progress after %v: %w", drainTimeout, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	finish()
	tasks.Wait()
	if err := db.Close(); err != nil {
		return err
	}
	config.Log.Info("stopped", "durationMs", time.Since(stopping).Milliseconds())
	return nil
}

// httpServer returns a server with the bounds of a request.
func (f *serveFlags) httpServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       15 * time.Second, // less than drainTimeout, so that an idle body does not fail the shutdown
		// A paid call makes up to seven calls: one to verify, two to settle, four to a node.
		WriteTimeout:   60*time.Second + 7*f.facilitatorTimeout,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 32 << 10,
	}
}
