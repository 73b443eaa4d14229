package main

import (
	"context"

	"tocsin/internal/synth"
)

func generateFlags(f *flags) {
	f.IntVar(&f.reports, "reports", 1000, "write `N` reports")
	f.Uint64Var(&f.seed, "seed", 1, "`SEED`; the same one gives the same reports")
}

func generate(_ context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
		return err
	}
	if f.reports < 0 {
		return usage("-reports %d is less than nothing", f.reports)
	}
	return synth.Write(w.out, f.reports, f.seed)
}
