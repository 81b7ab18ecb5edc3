# Everything a contributor does, by name. CONTRIBUTING.md says more about each.

CARGO ?= cargo
PYTHON_FILES := $(shell find . -name '*.py' -not -path './target/*' -not -path './.git/*')

.PHONY: help build demo test test-slow lint docs bench measure

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

build: ## Build the command: target/release/sortwell
	$(CARGO) build --release --package sortwell-cli

demo: ## Generate, sort and validate 10 million records, beside a plain copy
	@scripts/demo.sh

test: ## Run all tests but the slow ones
	$(CARGO) test --workspace

test-slow: ## Run the slow tests alone: gigabytes of data, minutes of time
	$(CARGO) test --workspace --release -- --ignored

lint: ## Check format, lints and the library's documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --quiet --no-deps --lib -p sortwell -p sortbench
ifneq ($(PYTHON_FILES),)
	ruff check $(PYTHON_FILES)
	ruff format --check $(PYTHON_FILES)
endif

docs: ## Write docs/reference.md anew from the definition of the command line
	$(CARGO) build --quiet --package sortwell-cli
	@$(CARGO) run --quiet --package sortwell-cli -- reference > docs/reference.md.new \
		|| { rm docs/reference.md.new; exit 1; }
	mv docs/reference.md.new docs/reference.md

bench: ## Run the micro-benchmarks of the parts
	$(CARGO) bench --package sortwell

measure: build ## Build, and say how whole sorts are measured
	@echo "target/release/sortwell is built. How to measure it against a plain copy, the floor of"
	@echo "the disk and other programs: CONTRIBUTING.md, section Measuring. Figures: results/."
