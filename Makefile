# Batuta. `make` lists what there is to do.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
INSTALLED := $(VENV)/.installed
WEB := src/batuta/server/static/index.html
CHECKED := .cache/checked
# Hundreds of processes are started by the tests. Where bytecode is not kept, each of them compiles everything again.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: $(INSTALLED) $(WEB) ## Start the platform on http://127.0.0.1:8000, ready to try
	@echo "Starting Batuta ..."
	@$(BIN)/batuta serve --demo

.PHONY: test
test: check $(WEB) browser ## Everything: the fast gates, then real servers and a real browser
	$(PYTEST) tests/integration tests/chaos tests/acceptance

.PHONY: check
check: $(INSTALLED) ## The fast gates: format, lint, types, layers, drift, unit and contract tests
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports | tail -n 2
	$(BIN)/mypy
	$(BIN)/basedpyright --warnings | tail -n 1
	$(BIN)/python -m tools.generate --check
	@$(MAKE) --no-print-directory $(CHECKED)

# The fast tests run again when a file they may depend on has changed.
$(CHECKED): $(INSTALLED) $(wildcard $(shell git ls-files -co --exclude-standard src tests tools examples bench web docs README.md))
	$(PYTEST) --quiet tests/unit tests/contract tests/replay tests/architecture tests/typing
	@mkdir -p $(@D) && touch $@

.PHONY: browser
browser: ## Install Chromium from the system's packages, if it is not there
	@command -v chromium >/dev/null || { apt-get update --quiet=2; \
	  apt-get install --quiet=2 --yes --no-install-recommends chromium >/dev/null; } || \
	  { echo "the browser tests need chromium; install it, or run as root: apt-get install chromium"; exit 1; }

.PHONY: web
web: $(WEB) ## Build the web application into the package

$(WEB): $(INSTALLED) $(shell find web/src web/index.html web/public -type f 2>/dev/null) web/package-lock.json web/vite.config.ts
	@echo "Building the web application (a minute or so; again only when it changes) ..."
	@cd web && PATH="$(abspath $(BIN)):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --silent
	@mkdir -p .cache && cd web && PATH="$(abspath $(BIN)):$$PATH" npm run --silent build >../.cache/web-build.log 2>&1 || \
	  { cat ../.cache/web-build.log; exit 1; }

.PHONY: coverage
coverage: $(INSTALLED) ## How much of each package the tests reach, against its floor
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --quiet --numprocesses 2 --dist worksteal tests/unit tests/contract tests/replay tests/integration
	$(BIN)/coverage combine --quiet
	@mkdir -p .cache && $(BIN)/coverage json --quiet -o .cache/coverage.json
	$(BIN)/python -m tools.coverage_floors .cache/coverage.json

.PHONY: bench
bench: $(INSTALLED) ## Measure us beside the peers and the floors; results go to bench/results
	$(BIN)/python -m bench.run

.PHONY: chaos soak fuzz
chaos: $(INSTALLED) $(WEB) ## Kill processes and servers under load, then verify every promise
	$(BIN)/python -m tests.chaos.simulation --seeds 100000
	$(BIN)/python -m tests.chaos.eventlog
	$(BIN)/python -m tests.chaos.turns
	$(BIN)/python -m tests.chaos.platform
	$(BIN)/python -m tests.chaos.platform --servers --minutes 10
	$(BIN)/python -m tests.chaos.drops
	$(BIN)/python -m tests.chaos.boundaries
	$(BIN)/python -m tests.chaos.lost_answers
	$(BIN)/python -m tests.chaos.postings
	$(BIN)/python -m tests.chaos.datasets
	$(BIN)/python -m tests.chaos.files
	BATUTA_INJECTIONS=all $(BIN)/python -m pytest -q tests/integration/orchestration/test_injections.py --timeout 3600
	BATUTA_SOCKETS=2000 $(BIN)/python -m pytest -q tests/chaos/test_platform.py -k cr19 --timeout 600
	BATUTA_GUESSES=10000 $(BIN)/python -m pytest -q tests/integration/server/test_doors.py -k se31 --timeout 3600
soak: $(INSTALLED) ## 600,000 events through every sink, and half an hour of faults: nothing lost, slow or grown
	$(BIN)/python -m tests.chaos.soak_observability
	$(BIN)/python -m tests.chaos.soak_platform
fuzz: $(INSTALLED) ## Programs in all modes, broken answers of providers, long conversations, hostile requests and business documents by the thousand
	BATUTA_FUZZ=50000 $(BIN)/python -m pytest -s tests/unit/events/adapters/test_fuzz.py --timeout 3600
	BATUTA_LIVES=10000 $(BIN)/python -m pytest tests/unit/steps/test_lived_histories.py --timeout 3600
	BATUTA_DOCUMENTS=600 $(BIN)/python -m pytest tests/unit/sandbox/business/test_streams.py --timeout 3600
	BATUTA_REQUESTS=20000 $(BIN)/python -m pytest tests/unit/sandbox/test_hostile_requests.py --timeout 3600
	BATUTA_REQUESTS=20000 $(BIN)/python -m pytest tests/unit/sandbox/test_hostile_business.py --timeout 3600
	BATUTA_MEDIUM=1 $(BIN)/python -m pytest tests/unit/sandbox/business/test_medium_company.py --timeout 3600
	BATUTA_DAMAGED=500 $(BIN)/python -m pytest tests/unit/knowledge/test_extract.py -k damaged --timeout 3600
	BATUTA_CHART_CASES=500 $(BIN)/python -m pytest tests/unit/datasets/test_rendering.py --timeout 3600
	BATUTA_PLANS=4000 $(BIN)/python -m pytest tests/unit/orchestration/test_random_plans.py --timeout 3600
	BATUTA_PROGRAMS=2000 $(BIN)/python -m pytest tests/integration/orchestration/test_modes.py --timeout 7200
	BATUTA_FILTERS=6000 $(BIN)/python -m pytest tests/unit/sandbox/test_filter_differential.py --timeout 3600

.PHONY: docs
docs: $(INSTALLED) ## Build the documentation into site/
	$(BIN)/python -m tools.generate
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.PHONY: wheel
wheel: $(INSTALLED) $(WEB) ## Build the distribution into dist/
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python

.PHONY: install
install: $(INSTALLED) ## Create the environment; every other target does so when needed

$(INSTALLED): requirements/dev.txt pyproject.toml
	@echo "Installing what Batuta needs into $(VENV) (a minute or so; again only when it changes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip sync --quiet --require-hashes --python $(BIN)/python requirements/dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: lock
lock: $(INSTALLED) ## Resolve the dependencies again and write the hashed lock
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --group dev --generate-hashes --universal \
	  --python-version 3.11 --no-header --no-annotate --no-emit-index-url --upgrade --output-file requirements/dev.txt
