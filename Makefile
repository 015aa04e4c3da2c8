# `make help` lists the targets. Needs GNU make and Python 3.11 or newer; uv is used where present.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# Every process would compile all modules anew: with Numba's that takes longer than the rest of a start.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV ?= .venv
UV := $(shell command -v uv 2>/dev/null)
BIN := $(VENV)/bin
PY := $(BIN)/python
NPM_BIN := node_modules/.bin
CHROMIUM ?= /usr/bin/chromium
# one more than two cores: many tests wait most of their time
TEST_WORKERS ?= 3
# every limit in seconds; a hang is a failure
TEST_TIMEOUT ?= 1200
CHECK_TIMEOUT ?= 1500

ifdef UV
MAKE_VENV = uv venv --quiet --seed --python "$$(command -v $(PYTHON))" $(VENV)
INSTALL = uv pip install --quiet --python $(PY) --require-hashes -r
else
MAKE_VENV = $(PYTHON) -m venv $(VENV)
INSTALL = $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r
endif

.PHONY: help run test check lint types imports document coverage fuzz browser bench openapi lock clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /\1\t/' | while IFS=$$'\t' read -r name text; do printf '  %-10s %s\n' "$$name" "$$text"; done

# ------------------------------------------------------------------------ environment
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "needs Python 3.11 or newer: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(MAKE_VENV) || { echo "no virtual environment: install python3-venv or uv" >&2; exit 1; }

$(VENV)/.run: requirements.lock | $(PY)
	@$(INSTALL) requirements.lock
	@touch $@

$(VENV)/.test: requirements-test.lock | $(PY)
	@$(INSTALL) requirements-test.lock
	@touch $@

$(VENV)/.check: requirements-check.lock | $(PY)
	@$(INSTALL) requirements-check.lock
	@touch $@

node_modules/.installed: package.json package-lock.json .npmrc
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20.19, or 22.12 and newer" >&2; exit 1; }
	@npm ci --ignore-scripts --no-progress
	@touch $@

# ------------------------------------------------------------------------ everyday
run: $(VENV)/.run ## run the service on HOST:PORT (127.0.0.1:8000)
	@exec $(PY) -m service

test: $(VENV)/.test ## run every test that needs Python only
	@timeout $(TEST_TIMEOUT) $(PY) -m pytest -q -n $(TEST_WORKERS) --dist worksteal -m "not check"

# The browser tests wait for pages most of their time: the others run beside them.
check: ## run everything that CI runs beside the tests
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target browser lint types imports document fuzz
	@$(MAKE) --no-print-directory coverage

lint: $(VENV)/.check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.check
	@$(BIN)/mypy

imports: $(VENV)/.check
	@PYTHONPATH=. $(BIN)/lint-imports

document: $(VENV)/.check node_modules/.installed
	@PYTHONPATH=. $(PY) openapi/generate.py --check
	@$(BIN)/openapi-spec-validator openapi/openapi.json
	@REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(NPM_BIN)/redocly lint --extends recommended-strict openapi/openapi.json
	@$(NPM_BIN)/spectral lint --fail-severity warn --ruleset openapi/spectral.yaml openapi/openapi.json

# The engine and the service are measured as they run. The kernels are measured interpreted, for compiled
# code leaves no trace of its branches; that is slow, so without the long tests, without those of whole
# measurements, and without a threshold.
KERNEL_TESTS = $(filter-out $(foreach name,arena calibration endgames exploiting ladder strength_of_play training,tests/ai/test_$(name).py),$(wildcard tests/ai/test_*.py))
coverage: $(VENV)/.check
	@rm -f .coverage .coverage.*
	@CRISPS_LAW_DEALS=16 timeout $(CHECK_TIMEOUT) $(BIN)/coverage run -m pytest -qq -n $(TEST_WORKERS) --dist worksteal -m "not check and not slow" tests/engine tests/service tests/contract
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report --include='engine/*,service/*' --fail-under=95
	@rm -f .coverage .coverage.*
	@CRISPS_LAW_DEALS=8 NUMBA_DISABLE_JIT=1 timeout $(CHECK_TIMEOUT) $(BIN)/coverage run -m pytest -qq -n 2 --dist worksteal -m "not check and not slow and not jit" $(KERNEL_TESTS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report --include='ai/*'

fuzz: $(VENV)/.check
	@PATH="$(abspath $(BIN)):$$PATH" timeout $(CHECK_TIMEOUT) .ci/fuzz

browser: $(VENV)/.check node_modules/.installed $(CHROMIUM)
	@timeout $(CHECK_TIMEOUT) $(PY) -m pytest -q -m check

$(CHROMIUM):
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else echo "no $(CHROMIUM): install Chromium, or make CHROMIUM=/path/to/it" >&2; exit 1; fi

# ------------------------------------------------------------------------ now and then
bench: $(VENV)/.test ## print the measured figures
	@shopt -s nullglob; for file in tests/bench/bench_*.py; do echo "== $$file"; PYTHONPATH=. $(PY) "$$file"; done

openapi: $(VENV)/.run ## write openapi/openapi.json and openapi/openapi.yaml anew
	@PYTHONPATH=. $(PY) openapi/generate.py

lock: ## resolve the three lock files anew from pyproject.toml
	@uv=$$(command -v uv || echo $(BIN)/uv); [ -x "$$uv" ] || { echo "uv is missing: make $(VENV)/.check, or install it" >&2; exit 1; }; \
	compile() { UV_CUSTOM_COMPILE_COMMAND="make lock" "$$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header pyproject.toml "$$@"; }; \
	compile -o requirements.lock; \
	compile --group test -o requirements-test.lock; \
	compile --group check --extra training -o requirements-check.lock

clean: ## remove what the tools made
	@rm -rf $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov schemathesis-report .schemathesis
	@find engine ai service tests openapi -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
