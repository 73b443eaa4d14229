package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"tocsin/internal/feed"
	"tocsin/internal/lookalike"
)

// nameFlags are the flags of commands that judge names of domains.
type nameFlags struct {
	*commandLine
	brands, model string
}

func (f *nameFlags) register() {
	f.StringVar(&f.brands, "brands", "", "a `FILE` of further brands, a line each: names, separated by commas, "+
		"and domains")
	f.StringVar(&f.model, "model", "", "the `FILE` of the model of names, which tocsin train makes (default: beside the "+
		"database, named after it)")
}

// modelFile returns the path of the model: that of -model, or beside the database.
func (f *nameFlags) modelFile() string {
	switch {
	case f.model != "":
		return f.model
	case strings.Contains(f.db, "://"): // it has passwords, and no directory here
		return "tocsin.model"
	}
	return f.db + ".model"
}

// detector returns what judges names, with the model if there is one, and the model's file. What is wrong with the file
// does not end a command: the rules answer without it.
func (f *nameFlags) detector() (*lookalike.Detector, *modelFile, error) {
	brands, err := readBrands(f.brands)
	if err != nil {
		return nil, nil, err
	}
	d := lookalike.NewDetector(brands, nil)
	file := &modelFile{path: f.modelFile(), detector: d}
	return d, file, nil
}

// readBrands returns the brands of the program and those of a file, if one is named, with the sites of the starter set.
func readBrands(file string) (*lookalike.Brands, error) {
	if file == "" {
		return lookalike.ShippedBrands(feed.StarterSites()...), nil
	}
	text, err := os.Open(file)
	if err != nil {
		return nil, usage("-brands: %w", err)
	}
	defer text.Close()
	brands, err := lookalike.ReadBrands(text, feed.StarterSites()...)
	if err != nil {
		return nil, usage("-brands %s: %w", file, err)
	}
	return brands, nil
}

// readModel returns the model in a file, or nil if there is no such file.
func readModel(file string) (*lookalike.Model, error) {
	data, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer data.Close()
	m, err := lookalike.ReadModel(bufio.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// modelFile is the file that a detector has its model from. It may be replaced at any time.
type modelFile struct {
	path     string
	detector *lookalike.Detector
	seen     fileState
	why      atomic.Value // see refused
}

// refused returns why the file is not in use, as the API says it; "" if it is.
func (f *modelFile) refused() string {
	why, _ := f.why.Load().(string)
	return why
}

// fileState tells one content of a file from the next.
type fileState struct {
	modified time.Time
	size     int64
}

// follow takes the model in the file into use, if the file is not the one that it saw last. If the file is gone, the
// model stays. It reports whether it has looked into the file, and what is wrong with it; the model in use stays then.
func (f *modelFile) follow() (read bool, err error) {
	var state fileState
	if info, err := os.Stat(f.path); err == nil {
		state = fileState{info.ModTime(), info.Size()}
	}
	if state == f.seen || state == (fileState{}) {
		return false, nil
	}
	f.seen = state
	m, err := readModel(f.path)
	switch {
	case errors.Is(err, lookalike.ErrOtherModel):
		f.why.Store("other_version")
	case errors.Is(err, lookalike.ErrNotModel):
		f.why.Store("damaged")
	case err != nil:
		f.why.Store("unreadable")
	case m != nil: // it has not gone just now
		f.detector.Use(m)
		f.why.Store("")
	}
	return true, err
}

// followLogged is follow for a server.
func (f *modelFile) followLogged(log *slog.Logger) {
	switch read, err := f.follow(); {
	case err != nil:
		log.Warn("the model of names is not taken into use; run tocsin train", "reason", f.refused())
	case read && f.detector.Model() != nil:
		log.Info("names are judged by a model", "model", f.detector.Model().Version)
	}
}
