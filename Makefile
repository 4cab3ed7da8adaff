# Two commands matter: `make run` and `make test`. The rest is what they are made of.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help install run test test-hosts programs check docs bench bench-recall bench-pairs clean

help: ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Helix needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(BIN)/python -m compileall -q shim  # an editable install is not compiled, and helix-mcp must start at once
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

install: $(VENV)/.installed ## make .venv and put helix, helixd and helix-mcp into .venv/bin

run: install ## make a starter vault with an example if there is none, then run the daemon
	$(BIN)/helix init --if-missing --example
	$(BIN)/helixd

check: $(VENV)/.installed-dev ## lint, strict types, layer rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tests drive a real browser and a real Syncthing. Where these can be installed without asking anybody, they are;
# elsewhere those tests say that they were skipped.
programs:
	@{ command -v chromium && command -v syncthing; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq >/dev/null 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium syncthing >/dev/null 2>&1; } || true

test: check programs ## everything that must hold; HELIX_TEST_SCALE=10 makes the random runs ten times longer
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-hosts: $(VENV)/.installed-dev ## the hosts' own command lines, fetched from npm, each connected to a real daemon
	$(BIN)/python -m pytest tests/hosts/real_hosts.py -v

docs: $(VENV)/.installed-dev ## write the reference pages again from the code
	$(BIN)/python -m helix.cli.reference > docs/cli.md
	$(BIN)/python -m helix.cli.settings_page > docs/configuration.md
	$(BIN)/python -m helix.surfaces.errors_page > docs/errors.md
	$(BIN)/python -m helix.surfaces.rest.reference > docs/rest-api.md
	$(BIN)/python -m helix.doctor.reference > docs/doctor.md

bench: $(VENV)/.installed-dev ## the figures of docs/reliability.md, docs/search.md and docs/performance.md, on this machine; takes half an hour
	$(BIN)/python -m bench

bench-recall: $(VENV)/.installed-dev ## how often search finds the answer; DATA=file adds a set of conversations
	$(BIN)/python -m bench.recall --rerank $(if $(DATA),--data $(DATA))

bench-pairs: $(VENV)/.installed-dev ## how well a write is judged: same, changed, near; worth keeping or not
	$(BIN)/python -m bench.pairs

clean: ## remove the virtual environment and the caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
