"""Consumer groups: rebalances, what each member had, and what became of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.traces.made_events import at, ended, fixed, frame, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def _state(
    t_ms: float, before: str, state: str, generation: int, *members: str, group: str = "g", node: int = 1
) -> Any:
    told: dict[str, Any] = {
        "group": group,
        "before": before,
        "state": state,
        "generation": generation,
        "members": members,
    }
    return at(t_ms, node, ev.GroupStateChanged(why=f"why {generation}", **told))


def _assigned(t_ms: float, generation: int, *owned: tuple[str, str, int], node: int = 1) -> Any:
    made = ev.GroupAssigned(group="g", generation=generation, protocol="range", offset=9, assignments=owned)
    return at(t_ms, node, made)


def _began(t_ms: float, generation: int, *members: str) -> Any:
    told: dict[str, Any] = {
        "group": "g",
        "generation": generation,
        "protocol": "range",
        "leader": "a",
        "subscriptions": (),
    }
    return at(t_ms, 1, ev.GroupGenerationBegan(members=members, **told))


def _joined(t_ms: float, member: str, client: str) -> Any:
    told: dict[str, Any] = {
        "group": "g",
        "instance_id": "",
        "client_host": "h",
        "generation": 0,
        "session_timeout_ms": 1,
    }
    return at(t_ms, 1, ev.GroupMemberJoined(member_id=member, client_id=client, rebalance_timeout_ms=1, **told))


CLASSIC = [
    _joined(5, "a", "one"),
    _joined(6, "b", "two"),
    at(4, 1, ev.ClientConnected(connection_id=1, client_id="two", software="librdkafka", software_version="2")),
    _state(10, "Empty", "PreparingRebalance", 0),
    _state(12, "PreparingRebalance", "CompletingRebalance", 1, "a"),
    _began(12, 1, "a"),
    _assigned(15, 1, ("a", "t", 1), ("a", "t", 0)),
    _state(15.5, "CompletingRebalance", "Stable", 1, "a"),
    _state(30, "Stable", "PreparingRebalance", 1, "a"),
    _began(38, 2, "b", "a"),
    _assigned(40, 2, ("a", "t", 0), ("b", "t", 1)),
    _state(40.5, "CompletingRebalance", "Stable", 2, "b", "a"),
    _state(60, "Stable", "PreparingRebalance", 2, "a", "b"),
    _state(70, "Stable", "PreparingRebalance", 2, "a", "b", node=2),
]
DOINGS = [
    at(16, 9, ev.ConsumerAssigned(client_id="one", group="g", member_id="a", generation=1, added=(("t", 0),),
                                  owned=())),
    *(
        at(t_ms, 9, ev.ConsumerPolled(client_id="one", group="g", member_id="a", generation=1, topic="t", partition=0,
                                      base_offset=0, count=count, values=()))
        for t_ms, count in ((20, 3), (25, 2), (45, 7))
    ),
    at(26, 9, ev.ConsumerCommitted(client_id="one", group="g", member_id="a", generation=1, error=0, offsets=())),
    at(27, 9, ev.ConsumerCommitted(client_id="one", group="g", member_id="a", generation=1, error=22, offsets=())),
    at(50, 1, ev.GroupMemberLeft(group="g", member_id="b", instance_id="", generation=2, why="session_expired",
                                 silent_ms=1)),
]  # fmt: skip


def test_a_rebalance_lasts_from_rest_to_rest_and_tells_what_moved(spark: SparkSession) -> None:
    from workbench.analysis.tables.rebalances import rebalances

    found = rebalances(frame(spark, CLASSIC), ended(spark, 100.0))
    names = ("group", "generation", "from_ms", "until_ms", "duration_ms", "ended_as", "members", "moved_count", "why")
    table = [tuple(row) for row in found.orderBy("from_ms").select(*names).collect()]
    assert table == [
        ("g", 1, 10.0, 15.5, 5.5, "Stable", ["a"], 2, "why 0"),
        ("g", 2, 30.0, 40.5, 10.5, "Stable", ["a", "b"], 1, "why 1"),
        ("g", None, 60.0, 70.0, 10.0, "begun again", None, None, "why 2"),
        ("g", None, 70.0, 100.0, 30.0, "end of the run", None, None, "why 2"),
    ]


def test_a_member_has_what_was_committed_for_it_until_the_next_or_until_it_left(spark: SparkSession) -> None:
    from workbench.analysis.tables.member_epochs import member_epochs

    found = member_epochs(frame(spark, CLASSIC + DOINGS), ended(spark, 100.0))
    names = ("member_id", "epoch", "assigned", "from_ms", "until_ms", "ended_by", "taken_ms", "polled_count")
    table = rows(found, *names, "committed_count", "client_id", "software", "protocol")
    assert table == [
        ("a", 1, ["t-0", "t-1"], 15.0, 40.0, "a new assignment", 16.0, 5, 1, "one", None, "classic"),
        ("a", 2, ["t-0"], 40.0, 100.0, "end of the run", None, 7, 0, "one", None, "classic"),
        ("b", 2, ["t-1"], 40.0, 50.0, "session_expired", None, 0, 0, "two", "librdkafka", "classic"),
    ]


def _reconciled(t_ms: float, epoch: int, state: str, assigned: tuple[int, ...], revoking: tuple[int, ...] = ()) -> Any:
    both: dict[str, Any] = {
        "assigned": tuple(("t", n) for n in assigned),
        "revoking": tuple(("t", n) for n in revoking),
    }
    told: dict[str, Any] = {
        "group": "g",
        "member_id": "a",
        "member_epoch": epoch,
        "target_epoch": 2,
        "state": state,
        "offset": 1,
    }
    return at(t_ms, 1, ev.ConsumerMemberReconciled(**told, **both))


NEWER = [
    at(10, 1, ev.ConsumerGroupTargeted(group="g", group_epoch=1, assignor="uniform", offset=1, members=("a",),
                                       subscriptions=(), assignments=(("a", "t", 0), ("a", "t", 10)))),
    _state(11, "Empty", "Reconciling", 1, "a"),
    _reconciled(12, 1, "stable", (10, 2)),
    _state(12.5, "Reconciling", "Stable", 1, "a"),
    _reconciled(30, 1, "unrevoked_partitions", (2,), (10,)),
    _reconciled(35, 2, "stable", (2,)),
]  # fmt: skip


def test_a_member_of_the_newer_protocol_comes_to_its_target_in_steps(spark: SparkSession) -> None:
    from workbench.analysis.tables.member_epochs import member_epochs

    found = member_epochs(frame(spark, NEWER), ended(spark, 100.0))
    assert rows(found, "from_ms", "until_ms", "epoch", "state", "assigned", "revoking", "protocol") == [
        (12.0, 30.0, 1, "stable", ["t-2", "t-10"], [], "consumer"),
        (30.0, 35.0, 1, "unrevoked_partitions", ["t-2"], ["t-10"], "consumer"),
        (35.0, 100.0, 2, "stable", ["t-2"], [], "consumer"),
    ]


def test_a_group_is_told_with_its_members_its_rebalances_and_what_was_refused(spark: SparkSession) -> None:
    from workbench.analysis.tables.groups import GROUPS_COLUMNS, groups
    from workbench.analysis.tables.member_epochs import member_epochs
    from workbench.analysis.tables.rebalances import rebalances

    offsets: Any = (("t", 0, 5),)
    refused: dict[str, Any] = {"member_id": "a", "generation": 9, "error": 22, "group_generation": 2, "state": "Stable"}
    more = [
        at(28, 1, ev.OffsetsCommitted(group="g", member_id="a", generation=1, offset=3, offsets=offsets)),
        at(44, 1, ev.OffsetCommitRefused(group="g", offsets=offsets, **refused)),
        at(45, 1, ev.GroupRequestRefused(function="join", group="g", **refused)),
        at(46, 1, ev.GroupRequestRefused(function="join", group="unheard", **refused)),
    ]
    events, runs = frame(spark, CLASSIC + DOINGS + more), ended(spark, 100.0)
    turned, given = fixed(rebalances(events, runs)), fixed(member_epochs(events, runs))
    assert rows(groups(events, turned, given), *GROUPS_COLUMNS[1:]) == [
        ("g", "classic", "range", "PreparingRebalance", 2, 2, 2, 4, 56.0, 30.0, 1, 1, 1, 12),
        ("unheard", "classic", None, None, None, 0, 1, 0, 0.0, 0.0, 0, 0, 1, 0),
    ]
    newer = frame(spark, NEWER)
    turned, given = fixed(rebalances(newer, runs)), fixed(member_epochs(newer, runs))
    names = ("protocol", "assignor", "state", "generation", "members", "rebalancing_ms")
    assert rows(groups(newer, turned, given), *names) == [("consumer", "uniform", "Stable", 1, 1, 1.5)]
