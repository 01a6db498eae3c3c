# Everything a newcomer needs: `make run` opens a living cluster, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Exact versions, so that what passes here passes in CI; pyproject.toml has the ranges.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: run install install-test install-analysis test types quick test-slow test-spark clients check bench events pages pictures docs constraints mutants judges conformance clean

run: install
	$(BIN)/workbench lab

install: $(VENV)/.installed

install-test: $(VENV)/.installed-test

$(BIN)/python:
	@echo "A folder $(VENV) with a Python of its own: some seconds."
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "pip brings what the tool needs into $(VENV), in silence: half a minute, once."
	$(PIP_INSTALL) -e .
	touch $@

$(VENV)/.installed-test: pyproject.toml constraints.txt | $(BIN)/python
	@echo "pip brings the tests and the Kafka clients that they try, in silence: a minute, once."
	$(PIP_INSTALL) -e '.[test,clients]'
	touch $@ $(VENV)/.installed

install-analysis: $(VENV)/.installed-analysis

$(VENV)/.installed-analysis: pyproject.toml constraints.txt | $(BIN)/python
	@echo "pip brings Spark and a Java for it, some 500 MB, in silence: minutes, once."
	$(PIP_INSTALL) -e '.[analysis]'
	touch $@ $(VENV)/.installed

# What is quick is played while the types are checked. Spark has a part of its own: one session for all of its tests.
# They are skipped, with the reason, where no Java serves. A group keeps to one worker: four lessons at a time are enough.
test: install-test install-analysis
	$(MAKE) -j 2 types quick
	$(BIN)/python -m pytest -q -n 3 --dist loadgroup -m "(processes or screens) and not slow"
	$(BIN)/python -m pytest -q -rs -m "spark and not slow"
	$(BIN)/python -m pytest -q -rs -n 2 --dist loadgroup -m clients tests/clients

types: install-test
	$(BIN)/python -m ruff check cluster workbench tests tools
	$(BIN)/python -m ruff format --quiet --check cluster workbench tests tools benchmarks
	$(BIN)/lint-imports
	@echo "mypy looks at all types, in silence: two or three minutes the first time, seconds once it has a cache."
	$(BIN)/python -m mypy

quick: install-test
	$(BIN)/python -m pytest -q -n 4 -m "not processes and not screens and not slow and not spark and not clients"

test-slow: install-test
	$(BIN)/python -m pytest -q -m slow

test-spark: install-test install-analysis
	$(BIN)/python -m pytest -q -rs -m "spark and not slow"

# Real Kafka clients against real brokers; ends with a table. What a machine has not got is skipped, with the reason.
clients: install-test
	$(BIN)/python -m pytest -q -rs -n 2 --dist loadgroup -m clients tests/clients

check: types quick

bench: install-test install-analysis
	@echo "pip brings what is measured beside, in silence: a minute, once."
	$(PIP_INSTALL) -e '.[bench,clients]'
	$(BIN)/python -m benchmarks

# The page of all events and their fields, made from the catalogue; a test says when it is out of date.
events: install-test
	$(BIN)/python -m cluster.scenario.events_page > docs/events.md.new
	mv docs/events.md.new docs/events.md

# The pages of docs/reference, made from the command line, the keys, the grammar of commands and the lessons.
pages: install-test
	$(BIN)/python -m tools.made_pages

# The main moments as pictures, in docs/pictures, from simulated runs.
pictures: install-test
	$(BIN)/python -m tools.pictures

# The site of docs/, in build/site. Every link has to lead somewhere.
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

$(VENV)/.installed-docs: pyproject.toml constraints.txt | $(BIN)/python
	@echo "pip brings what builds the site, in silence: half a minute, once."
	$(PIP_INSTALL) -e '.[docs]'
	touch $@ $(VENV)/.installed

# The exact versions anew: the newest within the ranges of pyproject.toml.
constraints:
	$(PYTHON) -m venv --clear build/constraints
	build/constraints/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test,clients,bench,analysis,docs]'
	build/constraints/bin/python -m pip freeze --exclude-editable > constraints.txt.new
	mv constraints.txt.new constraints.txt

# Every small mistake in every rule and every machine that carries rules out, planted one at a time: which does the swarm
# see, which the tests? Takes hours; an interrupted pass goes on where it was. Beside its results a list says why others
# live. MUTANTS="--part rules" takes the rules
# proper alone; `make mutants MUTANTS="--sample 100 --only raft"` takes minutes.
mutants: install-test
	$(BIN)/python -m tests.mutants $(MUTANTS)

# The test suites of clients, unmodified, against brokers of ours; writes a page. They are cloned at pinned commits,
# unless SUITE_KAFKA_PYTHON and others name clones, or SUITES_MIRROR a folder to clone from.
conformance: install-test
	$(BIN)/python -m tools.conformance --get docs/reference/conformance.md

# Runs of scripts against public specifications of Kafka; writes a page. WORKBENCH_SPECS names the folder of these.
judges: install-test
	$(BIN)/python -m tools.judges docs/reference/judges.md

clean:
	rm -rf $(VENV) build dist *.egg-info
