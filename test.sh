#!/bin/sh
# Every check that this machine can run; `make test` calls it. What it has to
# leave out it says in one line; with TOCSIN_REQUIRE=all that is a failure.
set -eu
cd "$(dirname "$0")"

left_out=
postgres=
leave_out() { left_out="$left_out; $1"; }

unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "not formatted (run gofmt -w .):" "$unformatted" >&2
	exit 1
fi

# A PostgreSQL server for the tests, in a temporary folder, on a Unix socket. It must not run as root. Each test makes and
# deletes a hundred files there, which takes a disk longer than the test: the folder is in memory if 2 GB are free there.
unprivileged() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"; else "$@"; fi; }
start_postgres() {
	programs=$(dirname "$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1)")
	[ -x "$programs/initdb" ] || return 1
	[ "$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $4 }')" -gt 2000000 ] 2>/dev/null && shm=/dev/shm || shm=${TMPDIR:-/tmp}
	postgres=$(mktemp -d "$shm/tocsin.XXXXXX")
	[ "$(id -u)" != 0 ] || chown nobody "$postgres"
	(cd "$postgres" && unprivileged "$programs/initdb" -D data -U tests -A trust -E UTF8 --no-sync >begun 2>&1 &&
		unprivileged "$programs/pg_ctl" -D data -l log -w start -o "-k '$postgres' -c listen_addresses= -c fsync=off \
			-c full_page_writes=off -c max_connections=500 -c shared_buffers=64MB -c autovacuum=off -c max_wal_size=128MB" >/dev/null) ||
		{ cat "$postgres/begun" "$postgres/log" >&2; exit 1; }
	server="postgres://tests@/postgres?host=$postgres"
}
stop_postgres() {
	[ -n "$postgres" ] || return 0
	(cd "$postgres" && unprivileged "$programs/pg_ctl" -D data -m immediate stop >/dev/null 2>&1)
	rm -rf "$postgres"
	postgres=
}

# A part that runs beside the others: begin NAME COMMAND… starts it, and finish NAME waits for it and shows its output. A part
# that fails does not keep others from running, so that all failures are seen at once. Each part is a group of processes
# where there is setsid, so that all that it has started ends with it.
failed=
group=$(command -v setsid || :)
begin() { name=$1 && shift && { $group "$@" >"$work/$name.log" 2>&1 & } && echo $! >"$work/$name.pid"; }
end_parts() {
	for part in $(cat "$work"/*.pid 2>/dev/null); do
		kill -- "${group:+-}$part" 2>/dev/null || :
		wait "$part" || :
	done
}
finish() {
	wait "$(cat "$work/$1.pid")" || fail "$1"
	rm "$work/$1.pid"
	cat "$work/$1.log"
}
fail() { failed="$failed; $1"; }

# What is built here is what the clients of interop/ start.
work=$(mktemp -d)
trap 'end_parts; stop_postgres; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export TOCSIN="${TOCSIN:-$work/tocsin}"
export TOCSIN_ROUNDS="${TOCSIN_ROUNDS:-5}" # of each fault, which `go test` alone brings about once
# As releases are built (packaging/release): whatever is built without the race detector shares its packages with them.
flags=$(go env GOFLAGS)
export GOFLAGS="$flags -trimpath"
echo "build, vet and staticcheck"
CGO_ENABLED=0 go build -ldflags="-s -w" -o "$work/tocsin" ./cmd/tocsin
go vet ./...
go tool staticcheck ./...

# Real clients of x402 and MCP on a real chain, the checkers of the documents for agents, and the website in a real browser
# (interop/README.md). The clients mostly wait for each other and for Tocsin, so they run beside the Go tests.
clients=
if ! command -v npm >/dev/null 2>&1 || [ "$(node -p 'parseInt(process.versions.node)' 2>/dev/null || echo 0)" -lt 20 ]; then
	leave_out "the clients of x402 and MCP and the website in a browser, since Node 20 is not installed"
else
	if ! cmp -s interop/package-lock.json interop/node_modules/.lock; then
		npm ci --prefix interop --no-audit --no-fund --loglevel=error && cp interop/package-lock.json interop/node_modules/.lock
	fi
	if cmp -s interop/package-lock.json interop/node_modules/.lock; then
		clients=yes
		begin clients npm run --silent --prefix interop test:payments
		command -v python3 >/dev/null 2>&1 || leave_out "the examples in Python, since it is not installed"
		[ "$(node -p 'parseInt(process.versions.node)')" -ge 22 ] || leave_out "the conformance runner of MCP, since Node 22 is not installed"
	else
		leave_out "the clients of x402 and MCP and the website in a browser, since their packages are missing"
	fi
fi

echo "Go tests, and beside them those on PostgreSQL and the clients: each part shows its output when it has ended"

# The tests of the store and of the API on PostgreSQL, and the program on it. They mostly wait for the server.
server=${TOCSIN_TEST_POSTGRES:-}
unset TOCSIN_TEST_POSTGRES
if [ -n "$server" ] || start_postgres; then
	begin postgres env TOCSIN_TEST_POSTGRES="$server" sh -c 'go test -vet=off -timeout 30m ./internal/store ./internal/api &&
		go test -vet=off -timeout 30m -run OnPostgres ./cmd/tocsin'
	command -v pgbouncer >/dev/null 2>&1 || [ -x /usr/sbin/pgbouncer ] ||
		leave_out "the test behind pgbouncer, since it is not installed"
else
	leave_out "the tests on PostgreSQL, since its programs are not installed"
fi

# The race detector needs a C compiler, Tocsin does not. It leaves out SQLite, which was translated from C, packages that
# only compute, and tests in which nothing happens at once (decision 30): of packages without goroutines, all but one of
# the website, of the documents and of the look-alikes, and the long ones of the API and of MCP. Of cmd/tocsin it watches
# the program that the tests start. How much memory that takes is measured without. Vet has run above. No test is decided
# by how fast the machine is; the timeout ends one that hangs.
if command -v "$(go env CC)" >/dev/null 2>&1; then
	for package in modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory regexp/... compress/flate unicode \
		go.yaml.in/yaml/v3 golang.org/x/crypto/sha3 golang.org/x/text/unicode/norm golang.org/x/net/html \
		github.com/decred/dcrd/dcrec/secp256k1/v4/...; do
		flags="$flags -gcflags=$package=-race=false"
	done
	plain=tocsin
	for package in cmd/tocsin internal/answer internal/discovery internal/locale internal/lookalike internal/paste \
		internal/picture internal/sheet internal/synth internal/web; do
		plain="$plain tocsin/$package"
	done
	long="TestEveryOperationKeepsTheContractWhateverIsSent|TestAPaidAnswerIsKeptAndSmall|TestLargeBuffersAreNotPooled"
	long="$long|TestAWalkThroughLargeReportsRepeatsAndLosesNothing|TestNoResultIsOver512KB"
	long="$long|TestSlowReadersOfToolsHoldLittleMemory"
	begin plain sh -c 'TOCSIN_RACE=$1 && shift && export TOCSIN_RACE && go test -vet=off -timeout 30m "$@" &&
		unset TOCSIN_RACE && go test -vet=off -timeout 30m ./cmd/tocsin -run \
			"TestWhatNobodyAsksForTwiceStaysWithinTheMemory|TestNoDownloadFillsTheMemoryOfAnImport" &&
		go test -vet=off -timeout 30m ./internal/api ./internal/mcp -run "$0"' "$long" "$flags" $plain
	begin Go env GOFLAGS="$flags" CGO_ENABLED=1 sh -c 'go test -race -vet=off -timeout 30m -skip "$0" "$@" &&
		go test -race -vet=off -timeout 30m ./internal/web ./internal/discovery ./internal/lookalike -run \
			"TestManyAtOnceReadWhatEachWouldReadAlone|TestManyAtOnceReadTheSameDocuments|TestAModelIsExchangedWhileNamesAreJudged"' "$long" \
		$(go list ./... | grep -vxF "$(printf '%s\n' $plain)")
else
	begin Go go test -vet=off -timeout 30m ./...
	leave_out "the race detector, since there is no C compiler"
fi

[ ! -e "$work/clients.pid" ] || finish clients

# Clients that are generated from the contract, and schemathesis (interop/clients), and the website in a browser. They
# begin when the other clients have ended, and what runs here keeps two processors busy to the end.
venv=interop/clients/.venv
if [ -d interop/node_modules ] && python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	if ! cmp -s interop/clients/requirements.txt $venv/.requirements; then
		python3 -m venv $venv && $venv/bin/pip install --quiet --disable-pip-version-check -r interop/clients/requirements.txt &&
			cp interop/clients/requirements.txt $venv/.requirements
	fi
	if cmp -s interop/clients/requirements.txt $venv/.requirements; then
		if ! command -v cargo >/dev/null 2>&1; then
			leave_out "the generated Rust client, since there is no cargo"
		elif ! cargo fetch --quiet --manifest-path interop/clients/rust/Cargo.toml; then
			leave_out "the generated Rust client, since its crates are missing or cargo is older than 1.85"
		fi
		begin generated npm run --silent --prefix interop test:clients
	else
		leave_out "the generated clients and schemathesis, since their Python packages are missing"
	fi
	command -v java >/dev/null 2>&1 || leave_out "the generated clients, since there is no Java"
else
	leave_out "the generated clients and schemathesis, since the packages of interop/ or a Python 3.10 with venv are missing"
fi

if [ -n "$clients" ]; then
	if [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then
		begin website npm run --silent --prefix interop test:site
	else
		leave_out "the website in a browser, since Chromium is not installed"
	fi
fi

[ ! -e "$work/plain.pid" ] || finish plain
finish Go
[ ! -e "$work/website.pid" ] || finish website
[ ! -e "$work/generated.pid" ] || finish generated
if [ -e "$work/postgres.pid" ]; then
	finish postgres
	stop_postgres
fi

# The Go tests start the proxies of docs/operate.md where they are installed.
for proxy in nginx caddy haproxy; do
	command -v $proxy >/dev/null 2>&1 || leave_out "$proxy in front of the program, since it is not installed"
done

# They also read what is packaged with the programs that will: the completion, the manual page, the units and the rules.
for program in bash fish zsh mandoc systemd-analyze promtool; do
	command -v $program >/dev/null 2>&1 || leave_out "what is packaged for $program, since it is not installed"
done

# Tests on real lists are no part of "all": no list is in the repository.
[ -n "${TOCSIN_SHARED:-}" ] || echo "not run: the tests on real lists, since TOCSIN_SHARED does not name a directory of them"

if [ -n "$failed" ]; then
	echo "failed: ${failed#; }"
	exit 1
fi
if [ -n "$left_out" ]; then
	echo "left out: ${left_out#; }"
	[ "${TOCSIN_REQUIRE:-}" != all ] || exit 1
else
	echo "nothing else was left out"
fi
