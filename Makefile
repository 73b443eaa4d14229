# Tocsin needs only Go and make. The rest of the tools that `make test` can use
# are installed by .ci/run.

export CGO_ENABLED = 0

.PHONY: run build test bench fuzz release

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

## fuzz: every fuzz target for a while; FUZZTIME=10m for longer
FUZZTIME ?= 20s
fuzz:
	@for package in $$(go list ./...); do for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
		echo "$$package $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; done; done

## release: the archives of all platforms in ./dist, with bills of materials, licences and checksums
release:
	nice go run ./packaging/release -out dist
