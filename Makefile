# Everything a contributor does, by name. CONTRIBUTING.md says more about each.

CARGO ?= cargo
# The folder of all that is built, as crates/capi names it: a relative path, as a name with spaces
# cannot be a target of make. Only cargo would know the folder that its configuration names.
CAPI_TARGET := $(if $(CARGO_TARGET_DIR),$(abspath $(CARGO_TARGET_DIR)),../../target)
export CARGO_TARGET_DIR ?= $(CURDIR)/target
PYTHON_FILES := $(shell find . -name '*.py' -not -path './target/*' -not -path './.git/*')

# The linter of the Python files: a given version, as each formats a little differently.
RUFF_VERSION := 0.17.5
RUFF_HOME := target/ruff-$(RUFF_VERSION)
PIP_INSTALL := install --quiet --disable-pip-version-check
RUFF ?= $(or $(wildcard $(RUFF_HOME)/bin/ruff),ruff)

# What `make measure` measures; CONTRIBUTING.md, section Measuring, says more.
SUITES ?= one-pass
RUNS ?= 5
SCALE ?= 1

# How often `make torture` kills, and how long it and `make oracle` go on at most.
KILLS ?= 200
SECONDS ?= 900

# What runs random commands beside a model. Its part of `make test` has a fixed seed: what makes it
# fail is then a change of the code, never the day. New seeds are what `make oracle` is for.
ORACLE := PYTHONPATH=tests python3 -B -m oracle
ORACLE_CASES ?= 1500
ORACLE_SEED ?= 1
# Cases wait for disks half of their time.
ORACLE_JOBS ?= $(shell echo $$((2 * $$(nproc))))

# How long each fuzz target runs; 0 leaves them out of `make torture`.
FUZZ_SECONDS ?= 60

# How many processes and nodes of cluster sorts `make torture` kills; 0 leaves them out.
CLUSTER_KILLS ?= 200

# What finds wrong uses of memory; the C libraries come as they are, their compiler's own checks are
# of another make. Leaks are none where a process ends.
SANITIZE := RUSTFLAGS=-Zsanitizer=address CFLAGS=-fno-sanitize=address \
	ASAN_OPTIONS=detect_leaks=0 $(CARGO) +nightly test --target x86_64-unknown-linux-gnu \
	--package sortwell-engine --features compression

# The command as the tests build it: with faults that tests of the proof of order ask for.
TESTED := --package sortwell-cli --features disorder

# Where `make install` puts the command and the C library; DESTDIR goes in front of all of it.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
# The C library, from what cargo builds.
CAPI := $(MAKE) --no-print-directory -C crates/capi PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" \
	DESTDIR="$(DESTDIR)" \
	STATIC="$(CAPI_TARGET)/release/libsortwell_capi.a" BUILD="$(CAPI_TARGET)/capi"

# A shell makes jobs in the background ignore Ctrl-C, and sortwell keeps to that. The tests of Ctrl-C
# need the default.
SIGNALS := $(shell env --default-signal true 2> /dev/null && echo env --default-signal)

.PHONY: help build capi install dist wheel deb package-check demo test test-rust test-oracle test-slow test-browser browser \
	test-python python torture oracle fuzz \
	sanitize lint lint-python lint-rust ruff docs api release-check deny bench \
	measure compare peers check-papers

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

build: ## Build the command: target/release/sortwell
	$(CARGO) build --release --package sortwell-cli --bin sortwell

capi: ## Build the C library: target/capi/libsortwell.so and target/release/libsortwell_capi.a
	$(CARGO) build --release --package sortwell-capi
	$(CAPI) all

# Built together, as they share most of their code.
install: ## Install the command with its manual pages, and the C library: PREFIX, LIBDIR, DESTDIR
	$(CARGO) build --release --package sortwell-cli --package sortwell-capi
	$(CAPI) all install
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 "$$CARGO_TARGET_DIR/release/sortwell" "$(DESTDIR)$(PREFIX)/bin/"
	packaging/share.sh "$$CARGO_TARGET_DIR/release/sortwell" "$(DESTDIR)$(PREFIX)/share"

dist: ## Make the archive of a release in target/dist: command, libraries, manual pages, licences
	@packaging/dist.sh

wheel: ## Make the Python wheel and the source distribution in target/wheels
	@packaging/wheel.sh

deb: ## Make packages for Debian in target/deb: sortwell, libsortwell0, libsortwell-dev
	@packaging/deb.sh

demo: ## Generate, sort and validate 10 million records, beside a plain copy
	@scripts/demo.sh

test: ## Run all tests but the slow ones, and say what was left out
	@scripts/test.sh

test-rust:
	$(SIGNALS) $(CARGO) test --workspace $(TEST_ARGS)

test-oracle: ## Run 1,500 random commands beside the model; some two minutes
	$(if $(BUILT),,$(CARGO) build --quiet $(TESTED))
	cd tests/oracle && python3 -B -m unittest --quiet test_model
	$(ORACLE) --bin "$$CARGO_TARGET_DIR/debug/sortwell" --cases $(ORACLE_CASES) \
		--seed $(ORACLE_SEED) --jobs $(ORACLE_JOBS)

test-slow: ## Run the slow tests too, and every case of lists that make test takes a part of
	SORTWELL_TEST_ALL=1 $(CARGO) test --workspace --release -- --include-ignored

test-browser: ## Test the report page in a headless Chromium; make browser gets it ready
	$(CARGO) build --quiet $(TESTED)
	@SORTWELL="$$CARGO_TARGET_DIR/debug/sortwell" scripts/browser.sh test

browser: ## Get selenium into target, and Chromium where root may install it
	@scripts/browser.sh get

test-python: ## Build, install and test the Python package; make python gets what that needs
	@scripts/python.sh test

python: ## Get what the tests of the Python package need into target: maturin, NumPy, pyarrow and others
	@scripts/python.sh get

torture: $(if $(BIN),,build) ## Kill sorts at random and look at what is left: KILLS, CLUSTER_KILLS, SECONDS, SEED, BIN
	scripts/torture.py --bin "$(or $(BIN),$$CARGO_TARGET_DIR/release/sortwell)" \
		--kills $(KILLS) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
	@CLUSTER_KILLS=$(CLUSTER_KILLS) scripts/python.sh kills --if-possible
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh --if-possible

oracle: $(if $(BIN),,build) ## Run random commands beside a model of them: SECONDS, SEED, BIN, CASE
	$(ORACLE) --bin "$(or $(BIN),$$CARGO_TARGET_DIR/release/sortwell)" \
		$(if $(CASE),--case $(CASE),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		--jobs $(ORACLE_JOBS)

fuzz: ## Run the fuzz targets, FUZZ_SECONDS each; takes cargo-fuzz and a nightly Rust
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

sanitize: ## Run tests under AddressSanitizer; takes a nightly Rust and half an hour
	$(SANITIZE) --lib
	$(SANITIZE) --test job -- --skip budget::

lint: lint-python lint-rust ## Check format, lints and the library's documentation

lint-rust:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --quiet --no-deps --lib -p sortwell-engine -p sortwell \
		-p sortbench

lint-python:
ifneq ($(PYTHON_FILES),)
	@$(RUFF) --version > /dev/null 2>&1 || { echo "lint: ruff, the linter of the Python files, is" \
		"missing: make ruff, or pip install ruff==$(RUFF_VERSION)" >&2; exit 1; }
	$(RUFF) check $(PYTHON_FILES)
	$(RUFF) format --check $(PYTHON_FILES)
endif

ruff: ## Put the linter of the Python files under target, unless that version is there
	@[ "$$($(RUFF) --version 2> /dev/null)" = "ruff $(RUFF_VERSION)" ] \
		|| { python3 -m venv --clear $(RUFF_HOME) > /dev/null 2>&1 \
			&& $(RUFF_HOME)/bin/pip $(PIP_INSTALL) ruff==$(RUFF_VERSION); } \
		|| { rm -rf $(RUFF_HOME) \
			&& python3 -m pip $(PIP_INSTALL) --target $(RUFF_HOME) ruff==$(RUFF_VERSION); }

docs: ## Write docs/reference.md anew from the definition of the command line
	$(CARGO) build --quiet $(TESTED)
	@"$$CARGO_TARGET_DIR/debug/sortwell" reference > docs/reference.md.new \
		|| { rm docs/reference.md.new; exit 1; }
	mv docs/reference.md.new docs/reference.md

release-check: ## Check dependencies, the least Rust version, each feature, and the packages
	@scripts/release_check.sh

package-check: ## Build each package, some twice, install it in an empty root, and try it there
	@packaging/check.sh

deny: ## Check licences and known faults of dependencies; gets cargo-deny into target
	@scripts/deny.sh

api: ## Write crates/sortwell/api.txt anew; takes a nightly Rust and cargo-public-api
	@scripts/api.py

bench: ## Run the micro-benchmarks of the parts
	$(CARGO) bench --package sortwell-engine

peers: ## Time sorts of pushed records beside other crates: PEERS="--records N --memory MIB --temp DIR"
	$(CARGO) build --release --package sortwell-cli --package sortwell-capi
	$(CAPI) all
	cd benches/peers && $(CARGO) run --release --quiet -- $(PEERS)

check-papers: ## Compare the figures of papers with the texts of the papers: PAPERS
	$(if $(PAPERS),,$(error PAPERS is missing; give the directory of the texts))
	scripts/check_papers.py "$(PAPERS)"

compare: build ## Time this program beside OLD, or THREADS_OLD and _NEW: SUITES, RUNS, SCALE, JSON
	scripts/compare.py $(if $(OLD),--old "$(OLD)") \
		--new "$$CARGO_TARGET_DIR/release/sortwell" \
		$(if $(THREADS_OLD),--threads-old $(THREADS_OLD)) \
		$(if $(THREADS_NEW),--threads-new $(THREADS_NEW)) \
		--runs $(if $(filter file,$(origin RUNS)),10,$(RUNS)) --scale $(SCALE) \
		$(if $(JSON),--json $(JSON)) $(SUITES)

measure: build ## Time whole sorts beside a plain copy and the floor: SUITES, RUNS, SCALE, JSON
	scripts/measure.py --bin "$$CARGO_TARGET_DIR/release/sortwell" --runs $(RUNS) \
		--scale $(SCALE) $(if $(JSON),--json $(JSON)) $(SUITES)
