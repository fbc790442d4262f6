# The two commands are `make run` and `make test`; each sets up what it needs first.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# Each command and page server is a process of its own: one that may not keep what it compiles starts in twice the time.
export PYTHONDONTWRITEBYTECODE :=

BIN := .venv/bin
WORKERS ?= 2
# Files begin in the order that tests/conftest.py gives, not by how many tests they have.
PYTEST := $(BIN)/pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: help setup run test soak bench calibrate lint format clean chromium postgres

help: ## Say what there is
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## Make .venv and fetch the small model's weights; quick when done
	@.ci/setup

run: setup ## Play the quickstart tournament with local models, and say where to look
	@$(BIN)/parley run runs/quickstart.yaml

test: lint chromium ## Check everything: style, types, imports, tests
	@$(PYTEST)

soak: setup chromium postgres ## Run the tests that take long
	@$(PYTEST) -m soak

bench: setup chromium ## Measure: speed beside other tools, prompt economy, expected figures
	@set -e; for file in $$(grep -l __main__ tests/bench/[a-z]*.py); do \
	  name=$$(basename "$$file" .py); echo "== $$name"; $(BIN)/python -m "tests.bench.$$name"; done

calibrate: setup ## Check the ratings against players of known strength
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.calibrate

lint: setup ## Check style, types and import directions
	@$(BIN)/ruff check -q
	@$(BIN)/ruff format --check -q
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache >.venv/.imports 2>&1 || { cat .venv/.imports; exit 1; }

format: setup ## Put the code into shape
	@$(BIN)/ruff check -q --fix
	@$(BIN)/ruff format -q

clean: ## Remove caches (not .venv, databases or weights)
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .grimp_cache dist
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

chromium:
	@.ci/bring chromium

postgres:
	@.ci/bring postgres
