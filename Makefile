# Every target makes the environment first; on a fresh machine only Python (3.11+), make and pip
# are needed. PYTHON chooses the interpreter of the environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SUDO := $(shell [ `id -u` = 0 ] || echo sudo)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test test-units test-whole test-clients chromium lint types layers bench samples constraints clean

help:
	@echo "make demo    build a library from data/samples and ask it two questions"
	@echo "make test    linters, types, layers and all tests"
	@echo "make test-clients   MCP clients and the conformance suite from the npm registry"
	@echo "make bench   the measured table (EXCERPTA_BENCH_DATA names the data folder)"
	@echo "make clean   remove the environment"

# torch comes first and pinned: an unpinned one may bring a CUDA build of several gigabytes.
$(STAMP): pyproject.toml constraints.txt
	@echo "installing the packages into $(VENV); from nothing this takes some minutes"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/python -m tools.demo

# In two halves at once, each printed when it is done.
test: $(STAMP) lint types layers chromium
	@echo "the tests take about ten minutes"
	$(MAKE) --jobs=2 --output-sync=target test-units test-whole

test-units: $(STAMP)
	$(BIN)/python -m pytest tests/unit

test-whole: $(STAMP)
	$(BIN)/python -m pytest tests/e2e tests/integration

test-clients: $(STAMP)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,clients]'
	$(BIN)/python -m pytest -m clients tests/e2e/clients

# A browser for the tests of the console; Debian's, where there is none.
chromium:
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	  { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium >/dev/null; }

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m tests.perf

samples: $(STAMP)
	$(BIN)/python -m tools.make_samples

# What the tests passed with; run it in an environment made without constraints.
constraints:
	$(BIN)/pip freeze --exclude-editable | sed 's/+cpu$$//' > constraints.txt

clean:
	rm -rf $(VENV)
