"""No change makes a run dearer unnoticed. Whoever makes one cheaper lowers its ceiling in the same commit."""

from __future__ import annotations

import sys

import pytest

from benchmarks.calls import (
    BARE,
    CALLS_AIMS,
    COMMAND,
    JUDGED,
    MODULES,
    calls_before_first_event,
    calls_per_event,
    modules_loaded,
)

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="another Python, other calls")
CALLS_MAX = {BARE: 77, JUDGED: 109, COMMAND: 100}
FIRST_EVENT_CALLS_MAX = 490_000
MODULES_MAX = {"the screen": 814, "a node": 476, "the lab": 363, "`--help`": 164}


def test_what_is_counted_has_its_ceiling() -> None:
    assert CALLS_MAX.keys() == CALLS_AIMS.keys()
    assert MODULES_MAX.keys() == MODULES.keys()


@pytest.mark.parametrize("name", CALLS_MAX)
def test_an_event_costs_no_more_calls(name: str) -> None:
    assert calls_per_event(name) <= CALLS_MAX[name]


def test_a_run_begins_with_no_more_calls() -> None:
    assert calls_before_first_event() <= FIRST_EVENT_CALLS_MAX


@pytest.mark.parametrize("name", MODULES_MAX)
def test_no_more_modules_are_loaded(name: str) -> None:
    imports, _ = MODULES[name]
    assert modules_loaded(imports) <= MODULES_MAX[name]
