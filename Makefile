# Each line is a command that one could type. They need Rust, a C compiler and make.

.PHONY: run build package test check openapi drift contract operations fuzz clients bench greedy campaign cluster upgrade blackbox template

# Builds the program that the tests use, which is quick to build but not optimised (`make build` makes the fast one),
# and starts the service with its demo company on SQLite in ./data. DATA=directory chooses another directory,
# ARGS="--listen 9090" another port.
run:
	cargo build --workspace --bin muster
	$${CARGO_TARGET_DIR:-target}/debug/muster serve --demo --data-dir $(or $(DATA),data) $(ARGS)

# The program for everyday use: target/release/muster.
build:
	cargo build --release -p gateway --bin muster

# A Debian package of it, in target/debian/.
package: build
	sh gateway/packaging/deb.sh $${CARGO_TARGET_DIR:-target}/release/muster $${CARGO_TARGET_DIR:-target}/debian

# Black-box tests wait, too: two at a time for each core keep it busy, and more would only wait for each other.
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))

# All tests, on SQLite and on a Postgres that the tests start themselves (TEST_POSTGRES_URL names another).
# Programs that take long to compile are built first, since some tests measure time; the clients beside the tests, since
# most of a client is one crate or one file, which keeps one core busy. The tests of tests/timed.txt run alone after the
# others.
# --workspace in both, so that both resolve the same features and nothing is built twice.
test:
	@[ -n "$$TEST_POSTGRES_URL" ] || sh scripts/postgres.sh >/dev/null
	@sh scripts/chromium.sh >/dev/null || true
	cargo build --workspace --bin muster --bin campaign
	@sh openapi/clients/build.sh >/dev/null 2>&1 & clients=$$!; \
	    cargo test --workspace --no-run && built=0 || built=$$?; wait $$clients; exit $$built
	sh scripts/test.sh

# The black-box tests with all words of FILTER in their names, such as "sqlite", "rosters::sqlite" or "paging postgres".
# A word that is in no name of a test is refused before anything is built.
blackbox:
	sh scripts/blackbox.sh "$(FILTER)"

# Builds the cluster of docs/cluster.md on this machine (two Postgres under Patroni, three gateways), kills leaders,
# gateways, etcd and links in turns under writers, and prints what became of the writes. ARGS="--help" says what can be
# chosen.
cluster:
	@[ -n "$$MUSTER_BIN" ] || cargo build --workspace --bin muster
	sh scripts/cluster/run.sh $(ARGS)

# Builds the last released version, or the revision of scripts/upgrade/base, and upgrades two gateways of it to this
# tree one after the other, under writers. ARGS="--from REVISION" names another one; ARGS="--help" says what can be chosen.
upgrade:
	@[ -n "$$MUSTER_BIN" ] || cargo build --workspace --bin muster
	sh scripts/upgrade/run.sh $(ARGS)

# Adds the domain of tests/template to a copy of the workspace, as ARCHITECTURE.md says, builds the program and calls
# it.
template:
	cargo build --workspace --bin muster
	cargo test --workspace --test blackbox -- --ignored --nocapture template::

# The checks of CI beside the tests: formatting, lints, and whether openapi/ is what the code makes.
check:
	cargo fmt --all --check
	sh scripts/prettier.sh
	cargo clippy --workspace --all-targets -- -D warnings
	$(MAKE) drift

# Writes the OpenAPI documents that are committed in openapi/.
openapi:
	cargo build --quiet --workspace --bin muster
	$${CARGO_TARGET_DIR:-target}/debug/muster openapi --write openapi/

# Fails when the committed documents are not the ones that the code makes.
drift: openapi
	git diff --exit-code -- openapi
	@[ -z "$$(git ls-files --others --exclude-standard openapi)" ] || { echo "openapi/ has documents that are not committed"; exit 1; }

# Checks the OpenAPI document: nothing in it breaks users of openapi/released, the linters in openapi/rules find
# nothing, the types of the console's modules fit it, and schemathesis, which calls the program that was built (or
# MUSTER_BIN) for some two minutes, finds nothing.
contract:
	sh openapi/rules/check.sh
	sh crates/console/types/check.sh
	$(MAKE) fuzz

# Checks the files of docs/operations against the program: manifests of Kubernetes, alert rules of Prometheus with their
# tests, a dashboard of Grafana.
operations:
	@[ -n "$$MUSTER_BIN" ] || cargo build --workspace --bin muster
	sh scripts/operations.sh

# The calls of schemathesis alone. EXAMPLES=100 makes 100 random calls for each operation (default 3), SEED=7 chooses
# other ones.
fuzz:
	@[ -n "$$MUSTER_BIN" ] || cargo build --workspace --bin muster
	$(if $(SEED),SEED=$(SEED)) sh openapi/rules/fuzz/run.sh $(EXAMPLES)

# Makes the clients in openapi/clients as packages in target/clients: all for which the tools are here, or LANG=python.
# (A LANG of the environment is a locale.)
clients:
	sh openapi/clients/build.sh $(if $(filter command line,$(origin LANG)),$(LANG))

# Measures, and prints each figure beside its target; a target that is missed fails nothing.
bench:
	cargo build --release --workspace --bin muster --bin bench
	$${CARGO_TARGET_DIR:-target}/release/bench

# Runs four greedy clients of a thousand connections each, and prints the latencies of a good client beside them. For a
# machine that does nothing else.
greedy:
	cargo build --release --workspace --bin muster
	cargo build --workspace --bin muster
	MUSTER_TESTS_FULL=1 MUSTER_BIN=$$(cd $${CARGO_TARGET_DIR:-target} && pwd)/release/muster cargo test --workspace --test blackbox -- --test-threads 1 --nocapture operations::greedy

# Kills the program, cuts the power, fails and fills the disk, kills one of two gateways under load, and then looks for
# each acknowledged write. A gateway may take 256 MiB.
# ARGS="--help" says what can be chosen.
campaign:
	cargo build --workspace --bin muster --bin campaign
	$${CARGO_TARGET_DIR:-target}/debug/campaign $(ARGS)
