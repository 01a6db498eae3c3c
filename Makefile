# Everything a newcomer needs: `make run` opens a living cluster, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What was compiled is kept: tests start hundreds of processes, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
# Exact versions, so that what passes here passes in CI; pyproject.toml has the ranges.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

OLDEST := $(shell sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
NEEDS := needs Python $(OLDEST) or newer
USE_ANOTHER := make $(or $(MAKECMDGOALS),run) PYTHON=python3.12
CHECK_PYTHON = { command -v $(PYTHON) >/dev/null || { echo "$(NEEDS); there is no $(PYTHON) here; $(USE_ANOTHER)" >&2; exit 3; }; } && \
    $(PYTHON) -c 'import sys; has = sys.version_info[:2]; has >= tuple(map(int, "$(OLDEST)".split("."))) or \
    sys.exit("$(NEEDS); found %d.%d at %s; $(USE_ANOTHER)" % (has + (sys.executable,)))'
# Where nobody names a Python, the one that made the environment is the one.
WHICH := import sys; print(sys.version, sys.base_prefix)
IS_ASKED_FOR = $(if $(filter file,$(origin PYTHON)),true,[ "$$($(BIN)/python -c '$(WHICH)')" = "$$($(PYTHON) -c '$(WHICH)')" ])

.PHONY: run install install-test install-analysis test test-all types quick test-slow test-spark clients check bench events pages pictures site docs constraints mutants judges conformance bundle clean FORCE

run: install
	$(BIN)/workbench lab

install: $(VENV)/.installed

install-test: $(VENV)/.installed-test

# Looked at each time: what a failed try left, what was moved with its clone (its scripts name the folder where they were
# made), and what another Python made than the one that is asked for now, are made anew. Else the file stays as old as it is.
$(VENV)/.python: FORCE
	@if $(BIN)/python -c 'import pip' 2>/dev/null && [ "$$(cat $@ 2>/dev/null || pwd)" = "$$(pwd)" ] && $(IS_ASKED_FOR); \
	then [ -e $@ ] || pwd > $@; \
	else $(CHECK_PYTHON) && echo "A folder $(VENV) with a Python of its own: some seconds." && \
	    $(PYTHON) -m venv --clear $(VENV) && pwd > $@; fi

FORCE:

$(VENV)/.installed: pyproject.toml constraints.txt $(VENV)/.python
	@echo "pip brings what the tool needs into $(VENV), in silence: half a minute, once."
	$(PIP_INSTALL) -e .
	touch $@

$(VENV)/.installed-test: pyproject.toml constraints.txt $(VENV)/.python
	@echo "pip brings the tests and the Kafka clients that they try, in silence: a minute, once."
	$(PIP_INSTALL) -e '.[test,clients]'
	touch $@ $(VENV)/.installed

install-analysis: $(VENV)/.installed-analysis

$(VENV)/.installed-analysis: pyproject.toml constraints.txt $(VENV)/.python
	@echo "pip brings Spark and a Java for it, some 500 MB, in silence: minutes, once."
	$(PIP_INSTALL) -e '.[analysis]'
	touch $@ $(VENV)/.installed

REAL := processes or screens or clients or spark or tab
REAL_IN := tests/clients tests/cluster/runtime tests/cluster/storage tests/cluster/trace tests/judges tests/processes \
    tests/screens tests/workbench/analysis tests/workbench/cli tests/workbench/tui/screens/analysis tests/workbench/web

# Every rule, scenario and lesson, and one of each real thing. What is quick is played while the types are checked. What a
# machine has not got is skipped, with the reason. A group keeps to one worker: one Spark, four lessons at a time. Kafka
# clients leave sockets to the collector, which other tests would take for their own: they have their own processes.
test: install-test install-analysis
	$(MAKE) -j 2 types quick
	$(BIN)/python -m pytest -q -rs -n 3 --dist loadgroup -m "($(REAL)) and not (clients or more or slow)" $(REAL_IN)
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "clients and not (more or slow)" tests/clients

# All others but the slow ones.
test-all: install-test install-analysis
	$(BIN)/python -m pytest -q -n 4 -m "more and not ($(REAL)) and not slow"
	$(BIN)/python -m pytest -q -n 3 --dist loadgroup -m "more and (processes or screens) and not slow" $(REAL_IN)
	$(BIN)/python -m pytest -q -rs -m "more and spark and not slow" $(REAL_IN)
	$(BIN)/python -m pytest -q -rs -n 2 --dist loadgroup -m "more and clients and not slow" tests/clients
	$(BIN)/python -m pytest -q -rs -m "more and tab and not slow" $(REAL_IN)

types: install-test
	$(BIN)/python -m ruff check kraft_workbench.py cluster workbench judges tests tools
	$(BIN)/python -m ruff format --quiet --check kraft_workbench.py cluster workbench judges tests tools benchmarks
	$(BIN)/lint-imports
	@echo "mypy looks at all types, in silence: two or three minutes the first time, seconds once it has a cache."
	$(BIN)/python -m mypy

quick: install-test
	$(BIN)/python -m pytest -q -n 4 -m "not ($(REAL)) and not more and not slow"

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

# The program in a browser tab and the docs, in build/tab/site: any web server can hold it. Needs Node.js.
site: BESIDE := --beside-tab
site: install docs
	$(BIN)/workbench site build/tab/site --docs build/site

# The site of docs/, in build/site. Every link has to lead somewhere.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m tools.docs_site build/docs $(BESIDE)
	$(BIN)/zensical build --clean --strict

$(VENV)/.installed-docs: pyproject.toml constraints.txt $(VENV)/.python
	@echo "pip brings what builds the site, in silence: half a minute, once."
	$(PIP_INSTALL) -e '.[docs]'
	touch $@ $(VENV)/.installed

# The exact versions anew: the newest within the ranges of pyproject.toml.
constraints:
	@$(CHECK_PYTHON)
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
	$(BIN)/python -m judges.conformance --get docs/reference/conformance.md

# Runs of scripts against public specifications of Kafka; writes a page. WORKBENCH_SPECS names the folder of these.
judges: install-test
	$(BIN)/python -m judges.matrix docs/reference/judges.md

# A folder that installs the tool where there is no network: wheels for Linux and macOS, and install.sh. For one room
# whose machines are alike, say which: make bundle BUNDLE_PYTHONS=3.12 BUNDLE_FOR=manylinux_2_28_x86_64,manylinux2014_x86_64.
BUNDLE_PYTHONS := 3.11 3.12 3.13
BUNDLE_FOR := manylinux_2_28_x86_64,manylinux2014_x86_64 manylinux_2_28_aarch64,manylinux2014_aarch64 \
    macosx_14_0_arm64,macosx_12_0_arm64,macosx_11_0_arm64,macosx_12_0_universal2,macosx_10_9_universal2
bundle: install
	rm -rf build/bundle
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w build/bundle/wheels .
	for python in $(BUNDLE_PYTHONS); do for machine in $(BUNDLE_FOR); do \
	    $(BIN)/python -m pip download --quiet --disable-pip-version-check --only-binary=:all: -c constraints.txt \
	        --python-version $$python --platform $$(echo $$machine | sed "s/,/ --platform /g") \
	        -d build/bundle/wheels build/bundle/wheels/kraft_workbench-*.whl || exit 1; done; done
	cp tools/install.sh build/bundle
	@echo "build/bundle is to be copied; there: sh install.sh"

clean:
	rm -rf $(VENV) build dist *.egg-info
