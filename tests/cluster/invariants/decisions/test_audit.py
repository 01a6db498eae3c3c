"""Which decisions are judged at all."""

from __future__ import annotations

import pytest

from cluster.invariants.all_invariants import DECISIONS, GROUPS
from cluster.invariants.decisions.audit import Decisions, judged
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Decision, Numbers
from cluster.rule_list import listed_rules
from tests.support.traces.traces import Trace

ROOMS = [group for group in GROUPS if issubclass(group, Decisions)]
UNFENCED = ev.BrokerUnfenced(broker_id=2, broker_epoch=9)
READ: Numbers = {"metadata_offset": 9, "registration_offset": 9}
REFUSED = ev.ProduceRefused(
    topic="orders", partition=0, client_id="", error=ErrorCode.NOT_ENOUGH_REPLICAS, acks=-1, sequence=()
)
SMALL: Numbers = {"acks": -1, "isr": [7], "min.insync.replicas": 2}


@pytest.mark.parametrize(
    "decision",
    [
        None,
        Decision("a_rule_of_tomorrow", True, "", "", {}),
        Decision("next_broker_state", True, "", "", {}),
        Decision("next_broker_state", True, "", "", {"metadata_offset": "1", "registration_offset": 2}),
    ],
)
def test_what_is_not_known_is_not_judged(decision: Decision | None) -> None:
    trace = Trace()
    trace.add(101, UNFENCED)
    trace.entries[-1].decision = decision
    assert trace.verdicts()["P41"].verdict is Verdict.NOT_EVALUATED


def test_each_rule_that_is_judged_is_a_rule() -> None:
    """A rule that gets another name would not be judged any more."""
    known = {listed.rule.name for listed in listed_rules()}
    assert {name for room in ROOMS for _, name in judged(room)} <= known


@pytest.mark.parametrize(
    ("invariant", "event", "decision", "is_wrong"),
    [
        ("P41", UNFENCED, Decision("next_broker_state", True, "", "", READ), False),
        ("P41", UNFENCED, Decision("next_broker_state", False, "", "", READ), True),
        ("P40", REFUSED, Decision("may_append", False, "", "", SMALL), False),
        ("P40", REFUSED, Decision("may_append", True, "", "", SMALL), True),
    ],
)
def test_an_event_tells_of_what_its_rule_has_said(
    invariant: str, event: ev.Event, decision: Decision, is_wrong: bool
) -> None:
    trace = Trace()
    trace.add(101, event)
    trace.entries[-1].decision = decision
    assert bool(trace.violations(invariant)) is is_wrong


def test_no_decision_is_judged_by_two_rooms() -> None:
    keys = [key for room in ROOMS for key in judged(room)]
    assert len(ROOMS) == len(DECISIONS) and len(keys) == len(set(keys)) > 90
