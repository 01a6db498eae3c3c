"""Which decisions are judged at all."""

from __future__ import annotations

import pytest

from cluster.invariants.decisions.audit import TABLES
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.ruling import Decision
from cluster.rule_list import listed_rules
from tests.support.traces.traces import Trace

UNFENCED = ev.BrokerUnfenced(broker_id=2, broker_epoch=9)


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
    assert {name for table in TABLES.values() for _, name in table} <= known
