# SupportOps-Env. Needs GNU Make, bash and Python 3.11 or newer; all else goes into $(VENV).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
ARGS ?=

BIN := $(VENV)/bin
# Stamps: what they stand for is installed anew only after a file that names it has changed.
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  Variables: PYTHON=$(PYTHON)  VENV=$(VENV)  PORT=$(PORT)  ARGS= (more arguments for pytest)"

.PHONY: venv
venv: $(RUN_READY) ## Create the virtual environment with all that the server needs

.PHONY: run
run: $(RUN_READY) ## Start the server with its console at http://localhost:$PORT
	@echo "SupportOps-Env starts; console: http://localhost:$(PORT)/web  API: http://localhost:$(PORT)/docs  (Ctrl+C ends it)"
	@PORT=$(PORT) exec $(BIN)/python -m server.app

.PHONY: test
test: $(DEV_READY) chromium check ## Run what CI runs: linters, types, tests
	$(BIN)/python -m pytest $(ARGS)

.PHONY: check
check: $(DEV_READY) ## Run the linters and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: lock
lock: $(BIN)/uv ## Write uv.lock, which `openenv validate` asks for and git ignores
	$(BIN)/uv lock --quiet

.PHONY: chromium
chromium: # the browser tests' browser, from Debian's packages
	@if command -v chromium >/dev/null; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	    echo "The browser tests need a program called chromium on PATH; install it and try again." >&2; exit 1; \
	elif [ "$$(id -u)" = 0 ]; then sudo=; \
	elif command -v sudo >/dev/null; then sudo=sudo; \
	else \
	    echo "The browser tests need chromium. As root: apt-get update && apt-get install -y chromium" >&2; exit 1; \
	fi; \
	echo "Installing chromium for the browser tests"; \
	$$sudo apt-get update -qq; \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is missing or older than Python 3.11; name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	    echo "$(PYTHON) could not create $(VENV); Debian has venv in a package of its own: python3-venv" >&2; exit 1; }

$(RUN_READY): requirements.txt pyproject.toml | $(BIN)/python
	@echo "Installing what the server needs into $(VENV)"
	@$(PIP_INSTALL) -r requirements.txt -e .
	@touch $@

$(DEV_READY): requirements-dev.txt $(RUN_READY)
	@echo "Installing what the tests need into $(VENV)"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(BIN)/uv: | $(BIN)/python
	@$(PIP_INSTALL) uv
