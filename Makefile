# Two commands matter: `make run` and `make test`. The rest is what they are made of.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUNS   ?= 5
# Twice the cores, for most of its time a test waits: for a disk, a daemon that starts, a moment that must pass.
# Eight at most, for each takes up to a gigabyte of memory.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(8, 2 * (os.cpu_count() or 1)))')

.DEFAULT_GOAL := help
.PHONY: help install run test soak test-hosts programs check docs sdk pictures bench bench-recall bench-pairs clean

help: ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Helix needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m compileall -q helix shim  # an editable install is not compiled, and commands must start at once
	@$(BIN)/python -m helix.memory.token_vocabulary  # what tokens are counted with, which the first daemon would make otherwise
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

install: $(VENV)/.installed ## make .venv and put helix, helixd and helix-mcp into .venv/bin

run: install ## make a starter vault with an example if there is none, then run the daemon
	$(BIN)/helix init --if-missing --example
	@echo "to connect an agent, in the folder of its project: $(CURDIR)/$(BIN)/helix connect claude-code --install"
	$(BIN)/helixd

check: $(VENV)/.installed-dev ## lint, strict types, layer rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tests drive a real browser, a real Syncthing and Node. Where these can be installed without asking anybody, they are;
# elsewhere it is said here what is missing, and at the end of the tests what was not proved.
programs:
	@$(PYTHON) tests/programs.py

test: check programs ## everything that must hold, in a new order each time; HELIX_TEST_SCALE=10 makes the random runs ten times longer
	@$(BIN)/python -m compileall -q helix shim  # thousands of commands are started, where Python may keep no compiled files
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

soak: $(VENV)/.installed-dev programs ## the tests RUNS times quiet and RUNS times beside four busy processes, then the fuzzing for long, as a table
	$(BIN)/python -m tests.soak --runs $(RUNS) --workers $(WORKERS) $(TESTS)

test-hosts: $(VENV)/.installed-dev ## the hosts' own command lines, fetched from npm, each connected to a real daemon
	$(BIN)/python -m pytest tests/hosts/real_hosts.py -v

docs: $(VENV)/.installed-dev ## write the reference pages, and what the TypeScript SDK takes from the daemon, again from the code
	$(BIN)/python -m helix.cli.reference > docs/cli.md
	$(BIN)/python -m helix.cli.settings_page > docs/configuration.md
	$(BIN)/python -m helix.surfaces.errors_page > docs/errors.md
	$(BIN)/python -m helix.surfaces.permissions_page > docs/permissions.md
	$(BIN)/python -m helix.surfaces.rest.reference > docs/rest-api.md
	$(BIN)/python -m helix.doctor.reference > docs/doctor.md
	$(BIN)/python -m helix.verb_reference > docs/verbs.md
	$(BIN)/python sdk/typescript/generate.py
	$(BIN)/python -m helix.surfaces.mcp.known_answers shim/helix_mcp/known_answers

sdk: ## build the TypeScript SDK into sdk/typescript/dist; needs Node
	npm --prefix sdk/typescript install --no-audit --no-fund --no-package-lock --ignore-scripts
	npm --prefix sdk/typescript run build

pictures: $(VENV)/.installed-dev programs ## take the pictures of the documents again, with a real Chromium and a real terminal
	$(BIN)/python -m tests.dashboard.pictures
	$(BIN)/python -m tests.docs.terminal > docs/pictures/terminal.svg

bench: $(VENV)/.installed-dev ## the figures of docs/reliability.md, docs/search.md and docs/performance.md, on this machine; takes half an hour
	$(BIN)/python -m bench

bench-recall: $(VENV)/.installed-dev ## how often search finds the answer; DATA=file adds a set of conversations
	$(BIN)/python -m bench.recall --rerank $(if $(DATA),--data $(DATA))

bench-pairs: $(VENV)/.installed-dev ## how well a write is judged: same, changed, near; worth keeping or not
	$(BIN)/python -m bench.pairs

clean: ## remove the virtual environment and the caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
