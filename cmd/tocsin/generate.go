package main

import (
	"context"

	"tocsin/internal/synth"
)

type generateFlags struct {
	*commandLine
	reports int
	seed    uint64
}

func newGenerate(c *commandLine) runFunc {
	f := &generateFlags{commandLine: c}
	f.IntVar(&f.reports, "reports", 1000, "write `N` reports")
	f.Uint64Var(&f.seed, "seed", 1, "random `SEED`; the same seed gives the same reports")
	return f.run
}

func (f *generateFlags) run(_ context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.reports < 0 {
		return usage("-reports %d is negative", f.reports)
	}
	return synth.Write(e.stdout, f.reports, f.seed)
}
