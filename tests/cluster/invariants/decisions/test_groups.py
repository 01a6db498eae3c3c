"""Decisions of a group coordinator that do not follow from their numbers."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.decided import Case, cases, judged

COMMITTED = ev.OffsetsCommitted(group="g", member_id="a", generation=4, offset=9, offsets=(("orders", 0, 5),))


@cases(
    Case(
        "vote_protocol",
        ev.GroupGenerationBegan(
            group="g", generation=4, protocol="range", leader="a", members=("a", "b", "c"), subscriptions=()
        ),
        {"range": 2, "sticky": 1},
        ({"range": 1, "sticky": 2}, {"range": 1}, {"range": 1, "another": 1}),
        ({"range": 3, "sticky": 0},),
    ),
    Case(
        "may_commit",
        COMMITTED,
        {"its generation": 4, "group generation": 4, "state": "Stable"},
        ({"group generation": 5}, {"its generation": 3}, {"state": "CompletingRebalance"}),
        ({"state": "PreparingRebalance"}, {"its generation": -1, "state": "Empty"}),
    ),
    Case(
        "may_use_offsets",
        COMMITTED,
        {"its epoch": 4, "known epoch": 4},
        ({"its epoch": 3}, {"known epoch": 5}),
    ),
    Case(
        "heartbeat",
        ev.GroupRequestRefused(
            function="heartbeat", group="g", member_id="a", generation=4, error=ErrorCode.REBALANCE_IN_PROGRESS,
            group_generation=4, state="PreparingRebalance",
        ),
        {"state": "PreparingRebalance", "generation": 4},
        ({"state": "Stable"}, {"state": "Empty"}),
        granted=False,
    ),
    Case(
        "session_expired",
        ev.GroupMemberLeft(
            group="g", member_id="a", instance_id="", generation=4, why="session_expired", silent_ms=100
        ),
        {"silent_ms": 100, "session_timeout_ms": 100},
        ({"silent_ms": 99},),
    ),
    Case(
        "preferred_assignor",
        ev.ConsumerGroupTargeted(
            group="g", group_epoch=4, assignor="range", offset=9, members=("a", "b"), subscriptions=(), assignments=()
        ),
        {"assignor": "range", "range": 1, "uniform": 1},
        ({"uniform": 2}, {"assignor": "uniform"}),
    ),
    Case(
        "reconcile",
        ev.ConsumerMemberReconciled(
            group="g", member_id="a", member_epoch=4, target_epoch=4, state="stable", offset=9,
            assigned=(("orders", 0),), revoking=(),
        ),
        {"member epoch": 4, "target epoch": 4, "may have": 1, "has to give up": 0, "not released yet": 0},
        ({"may have": 2}, {"has to give up": 1}, {"not released yet": 1}),
    ),
)  # fmt: skip
def test_a_decision_of_a_coordinator_follows_from_its_numbers(case: Case) -> None:
    judged("GR20", case)
