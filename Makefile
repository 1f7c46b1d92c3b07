# `make` alone prints what there is. Every target does its own set-up, once, in .venv.

PYTHON ?= $(shell for p in python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null && echo $$p && break; done)
PORT ?= 8000
T ?=
LENGTH ?= 30

# One test process more than there are processors, because some tests wait for browsers and other processes; at most 8.
WORKERS := $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 8 ? n + 1 : 8)))

VENV := .venv
IN_VENV := $(VENV)/bin/python
# A stamp per lock file and its content: a changed lock is installed, an unchanged one costs nothing.
RUNTIME := $(VENV)/.runtime-$(shell cat requirements.lock | cksum | tr -d ' \t')
DEV := $(VENV)/.dev-$(shell cat requirements.lock requirements-dev.lock | cksum | tr -d ' \t')
# Python compiles what it imports, which is a quarter of what is installed.
PIP := $(IN_VENV) -m pip --quiet --disable-pip-version-check --no-input install --root-user-action=ignore \
	--no-warn-script-location --no-compile --require-hashes --no-deps

.DEFAULT_GOAL := help
.PHONY: help demo run test lint components bench soak chromium
.SUFFIXES:

help: ## Print this list
	@echo "Lexic. Needs Python 3.11, git and make; everything else is installed into .venv."
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r target words; do printf '%-14s %s\n' "$$target" "$$words"; done

demo: $(RUNTIME) ## The main job from end to end: documents in, cited answers out
	@$(IN_VENV) manage.py demo

run: $(RUNTIME) ## Everything in the foreground: database, broker, worker, web (PORT=8000)
	@exec $(IN_VENV) manage.py up --with-parent --port $(PORT)

test: $(DEV) chromium ## The tests, or some of them (T=tests/trees)
	@$(IN_VENV) -m pytest $(if $(T),-n 0 $(T),-n $(WORKERS) --dist worksteal -q) $(if $(CI),-p tests.browser_required)

lint: $(DEV) ## Style, types, import contracts, forgotten and risky migrations, the API's description
	@$(IN_VENV) -m ruff check .
	@$(IN_VENV) -m ruff format --check .
	@$(IN_VENV) -m mypy .
	@cd sdk && ../$(IN_VENV) -m mypy
	@cd lexibrarian && ../$(IN_VENV) -m mypy
	@$(VENV)/bin/lint-imports --no-logo
	@$(IN_VENV) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	@$(IN_VENV) manage.py lint_migrations
	@$(IN_VENV) manage.py spectacular --validate --fail-on-warn >/dev/null

components: $(DEV) ## What Lexic consists of: a bill of materials (var/sbom.cdx.json), licences, known vulnerabilities
	@$(IN_VENV) -m supply_chain.bill_of_materials var/sbom.cdx.json
	@$(IN_VENV) -m supply_chain.licences
	@$(IN_VENV) -m supply_chain.vulnerabilities

bench: $(DEV) ## Measure speed and quality
	@if [ -n "$(QUICK)" ]; then PYTHONPATH=. $(IN_VENV) -m benchmarks.costs --quick --save var/benchmarks; exit; fi; \
	for program in benchmarks/[a-z]*.py; do \
		[ -e "$$program" ] || { echo "There are no benchmarks yet."; break; }; \
		echo "== $$program"; PYTHONPATH=. $(IN_VENV) "$$program" || exit 1; \
	done

soak: $(DEV) ## Mixed traffic with a fault a minute, and a checker (LENGTH=30, in minutes)
	@PYTHONPATH=. $(IN_VENV) -m benchmarks.soak --minutes $(LENGTH)

$(RUNTIME):
	$(call installed,requirements.lock,.runtime-)
	@$(IN_VENV) -m knowledge.readers.isolation.compile_imports

$(DEV): $(RUNTIME)
	$(call installed,requirements-dev.lock,.dev-)

# pip's output is kept in a file, and shown when it matters.
define installed
	@$(if $(PYTHON),,echo "Python 3.11 is needed; name it with: make PYTHON=/path/to/python3.11"; exit 1)
	@$(IN_VENV) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || { \
		echo "Python cannot make a virtual environment. On Debian: apt-get install python3.11-venv"; exit 1; }
	@echo "Installing $(1) into $(VENV) (once; a minute or two) ..."
	@$(PIP) -r $(1) >$(VENV)/install.log 2>&1 || { tail -n 30 $(VENV)/install.log; exit 1; }
	@rm -f $(VENV)/$(2)* && touch $@
endef

# The browser tests drive Debian's Chromium. Where it is missing and may not be installed, they say so and are skipped.
chromium:
	@command -v chromium >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser tests ..."; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
			chromium fonts-liberation; } >$(VENV)/chromium.log 2>&1 </dev/null \
			|| { tail -n 5 $(VENV)/chromium.log; echo "Chromium could not be installed: no browser tests."; }; \
	else echo "There is no Chromium (apt-get install chromium fonts-liberation): no browser tests."; fi
