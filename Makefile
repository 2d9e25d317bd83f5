# Batuta. `make` lists what there is to do.

SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
INSTALLED := $(VENV)/.installed

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(INSTALLED): requirements/dev.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip sync --quiet --require-hashes --python $(BIN)/python requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: install
install: $(INSTALLED) ## Create the environment (done by every other target when needed)

.PHONY: lock
lock: $(INSTALLED) ## Resolve the dependencies again and write the hashed lock
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --group dev --generate-hashes --universal \
	  --python-version 3.11 --no-header --no-annotate --no-emit-index-url --upgrade --output-file requirements/dev.txt
