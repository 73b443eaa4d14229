# Tocsin needs only Go and make. The rest of the tools that `make test` can use
# are installed by .ci/run.

export CGO_ENABLED = 0

.PHONY: run build test bench soak fuzz release

## run: build and serve on http://127.0.0.1:8402, with the database in ./tocsin.db; TOCSIN_REFRESH=6h refreshes the lists
run: build
	./tocsin serve -first-key

build:
	go build -trimpath -o tocsin ./cmd/tocsin

## test: every check that this machine can run
test:
	@./test.sh

## bench: measure speed and size, as ratios within one run (docs/benchmarks.md)
bench:
	go test ./internal/bench -run '^$$' -bench . -benchtime 1x -timeout 90m -v

## soak: a hundred rounds of each fault, on PostgreSQL too if TOCSIN_TEST_POSTGRES names a server; a minute of each fuzz
## target; then serve under load for a while, with the race detector and without, and under three times the load that it
## can carry (docs/reliability.md); SOAK=1h for longer, ROUNDS=10 for fewer
SOAK ?= 10m
ROUNDS ?= 100
soak:
	TOCSIN_ROUNDS=$(ROUNDS) go test ./cmd/tocsin -run 'Kill9LosesNothing|AFullDisk|WhateverBecomesOf' -timeout 24h -v
	$(MAKE) fuzz FUZZTIME=1m
	TOCSIN_SOAK=$(SOAK) go test ./internal/bench -run '^$$' -bench 'Overload|Soak' -benchtime 1x -timeout 24h -v

## fuzz: every fuzz target for a while; FUZZTIME=10m for longer
FUZZTIME ?= 20s
fuzz:
	@for package in $$(go list ./...); do for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
		echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; done; done

## release: the archives of all platforms in ./dist, with bills of materials, licences and checksums
release:
	nice go run ./packaging/release -out dist
