# The commands of this project; `make help` lists them.

export PORT ?= 8000
VENV := .venv
RUN := $(VENV)/bin/python
QUESTION ?= How do I mend a puncture?
CASES ?= 20000
DUELS ?= 10000
TWINS ?= 2000
REVOCATIONS ?= 10000
INJECTIONS ?= 310
QUOTES ?= 10000

.PHONY: answers bench conformance demo property prove test quality port-is-free
.DEFAULT_GOAL := help

help:
	@echo "make demo            the example site on http://127.0.0.1:$(PORT)/ (PORT=8123 picks another port)"
	@echo "make test            the whole test suite, on every database that answers"
	@echo "make property        $(CASES) random cases of each property of protocol and endpoints"
	@echo "make prove           $(DUELS) searches by hand, $(TWINS) twins, $(REVOCATIONS) pages closed on PostgreSQL,"
	@echo "                     $(INJECTIONS) pages with orders for a model, and $(QUOTES) misquotations"
	@echo "make conformance     the page that says which fixtures of the protocol are met"
	@echo "make quality         how well questions find their pages, on four collections"
	@echo "make answers         how well answers quote the right pages, and say when none does"
	@echo "make bench           how fast, against what else a site could use (SIZE=100000 passages)"

demo: port-is-free $(VENV)/demo-installed
	$(RUN) manage.py migrate --verbosity 0
	$(RUN) manage.py load_example
	$(RUN) manage.py nlweb_ask "$(QUESTION)"
	$(RUN) manage.py runserver --noreload 127.0.0.1:$(PORT)

# Before anything is installed or loaded; runserver would find out last.
port-is-free: | $(RUN)
	@$(RUN) -c 'import socket; socket.create_server(("127.0.0.1", $(PORT))).close()' 2>/dev/null || { \
	    echo "Port $(PORT) is in use: \`make demo PORT=8123\` picks another." >&2; exit 1; }

test: $(VENV)/test-installed
	$(RUN) .ci/test_matrix.py

# Exit code 1 where a figure is below its bar.
quality: $(VENV)/test-installed
	$(RUN) -m tests.quality

# Exit code 1 where a figure is below its bar.
answers: $(VENV)/test-installed
	$(RUN) -m tests.answers

# Exit code 1 where a figure is below its bar. Without SIZE: 1,000 and 10,000 passages.
bench: $(VENV)/test-installed
	$(RUN) -m tests.bench $(foreach size,$(SIZE),--size $(size)) --json build/bench.json --svg build/bench.svg

conformance: $(VENV)/test-installed
	WRITE_CONFORMANCE=1 $(RUN) -m pytest -q tests/protocol/test_conformance.py

# `make test` has them too, with some hundred cases each.
property: $(VENV)/test-installed
	PROPERTY_EXAMPLES=$(CASES) $(RUN) -m pytest -q -m property

# `make test` has them too, with some hundreds each. PostgreSQL must answer on 127.0.0.1.
prove: $(VENV)/test-installed
	PROVE_DUELS=$(DUELS) PROVE_TWINS=$(TWINS) $(RUN) -m pytest -q \
	    tests/rights/test_duels.py tests/rights/test_twins.py
	DATABASE=postgresql PROVE_REVOCATIONS=$(REVOCATIONS) $(RUN) -m pytest -q \
	    tests/rights/test_revocations.py
	PROVE_INJECTIONS=$(INJECTIONS) MODEL_QUOTES=$(QUOTES) $(RUN) -m pytest -q \
	    tests/rights/test_injections.py tests/generators/test_mutated_quotes.py
	$(RUN) -m pip install --quiet --group cms
	PROVE_EVERY_CELL=1 $(RUN) -m pytest -q --ds tests.sites.djangocms.settings \
	    tests/sites/djangocms/rights

# A command of this name may exist and not run (a version manager's shim), so each is
# tried. The whole list is written out: a plain `python3` may be older than 3.11.
$(RUN):
	@for python in python3.13 python3.12 python3.11 python3.14 python3; do \
	    if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "Making $(VENV) with $$($$python --version)"; \
	        exec $$python -m venv $(VENV); \
	    fi; \
	done; \
	echo "Python 3.11 or newer, with its venv module, is needed and was not found." >&2; exit 1

$(VENV)/demo-installed: pyproject.toml | $(RUN)
	$(RUN) -m pip install --quiet --editable .
	@touch $@

# Dependency groups need pip 25.1.
$(VENV)/test-installed: pyproject.toml | $(RUN)
	$(RUN) -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN) -m pip install --quiet --editable . --group test --group servers
	@touch $@
