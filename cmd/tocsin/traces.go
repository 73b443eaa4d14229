package main

import (
	"context"
	"crypto/rand"
	"log/slog"

	"tocsin/internal/front"
	"tocsin/internal/otlp"
)

// traces send a span of each request where the standard variables of OpenTelemetry name a collector; without one they
// do nothing.
type traces struct{ to *otlp.Exporter }

// newTraces reads the variables, each of which may be in a file (see [setting]), and has the door make spans.
func newTraces(lookup func(string) (string, bool), log *slog.Logger, d *front.Deployment) (traces, error) {
	config, err := otlp.FromEnvironment(func(name string) (string, error) {
		value, _, err := setting(lookup, name)
		return value, err
	}, version)
	if err != nil {
		return traces{}, usage("OpenTelemetry: %w", err)
	}
	if config == nil {
		return traces{}, nil
	}
	to := otlp.New(*config, rand.Reader, func(err error) {
		if err != nil {
			log.Warn("spans cannot be sent to the collector of OpenTelemetry; they are dropped and counted", "error",
				printable(err))
			return
		}
		log.Info("spans are sent to the collector of OpenTelemetry again")
	})
	d.Trace = to.Ended
	log.Info("a span of each request is sent to a collector of OpenTelemetry")
	return traces{to}, nil
}

// run sends until the context ends.
func (t traces) run(ctx context.Context) {
	if t.to != nil {
		t.to.Run(ctx)
	}
}

// counts returns how many spans were sent and dropped; known is false if none are made.
func (t traces) counts() (sent, dropped int64, known bool) {
	if t.to == nil {
		return 0, 0, false
	}
	sent, dropped = t.to.Counts()
	return sent, dropped, true
}
