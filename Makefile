# Thin on purpose: each line is a command that one could type. Needed: Rust, a C compiler and make.

.PHONY: run build test check openapi drift bench

# Builds and starts the service with its demo company on embedded SQLite, in ./data.
run:
	cargo run --release -p gateway --bin muster -- serve --demo --data-dir data

# The program for everyday use: target/release/muster.
build:
	cargo build --release -p gateway --bin muster

# All tests, on SQLite and on a Postgres that the tests start themselves (TEST_POSTGRES_URL names another).
# --workspace in both, so that both resolve the same features and nothing is built twice.
test:
	@[ -n "$$TEST_POSTGRES_URL" ] || sh scripts/postgres.sh >/dev/null
	cargo build --workspace --bin muster
	cargo test --workspace

# What CI says beside the tests: formatting, lints, and openapi/ as the code has it.
check:
	cargo fmt --all --check
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

# Measures, and prints what it measures, met or not.
bench:
	cargo build --release --workspace --bin muster --bin bench
	$${CARGO_TARGET_DIR:-target}/release/bench
