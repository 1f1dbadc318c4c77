# The two commands of a newcomer: `make demo` and `make test`. Each sets up what it needs in .venv.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# The tests of a file stay together, for they share what they made; files in their order: those that take long are not the last.
SIDE_BY_SIDE := --numprocesses logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

help:  ## show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, not " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,notebook]'
	@touch $@

setup: .venv/ready  ## install the package and what its tests need

demo: .venv/ready  ## anonymize an embedded demo database of 50,000 people
	$(BIN)/gensearch demo

test: .venv/ready  ## lint, type check and all tests
	$(MAKE) --no-print-directory --jobs 2 types compiled
	$(BIN)/pytest -m 'not alone' $(SIDE_BY_SIDE)
	$(BIN)/pytest -m alone

types:
	$(BIN)/ruff check .
	$(BIN)/mypy

compiled:  # at the same time what the tests need compiled, which takes one core a minute
	$(BIN)/python -c 'from gensearch_db.search.warm_up import warm_up; warm_up()'

quick: .venv/ready  ## the tests that take seconds
	$(BIN)/pytest -m 'not slow and not alone' $(SIDE_BY_SIDE)
	$(BIN)/pytest -m 'alone and not slow'

fuzz: .venv/ready  ## random problems for as long as GENSEARCH_FUZZ examples take (default 5000)
	GENSEARCH_FUZZ=$${GENSEARCH_FUZZ:-5000} $(BIN)/pytest tests/fuzz

clean:  ## remove what the targets made
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: help setup demo test types compiled quick fuzz clean
