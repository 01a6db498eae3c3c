"""Bugs planted in the coordinator and in members: the checker finds each by its rule, and nothing without one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from cluster.clients import assignors, reading
from cluster.cluster_spec import ClusterSpec
from cluster.commands.carry_out import carry_out
from cluster.groups import loading, offsets
from cluster.groups.classic import rules as classic_rules
from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import OFFSETS_TOPIC, TopicPartition
from cluster.model.ruling import Ruling, error_or_none, rule
from cluster.model.settings import classroom_timing
from cluster.simulation.world.cluster import SimulatedCluster


def broken_rules(seed: int = 5) -> set[str]:
    """Members come, go, are killed and paused, and the coordinator dies; what the checker says of it all."""
    settings = replace(
        classroom_timing(), offsets_topic_partitions=1, replica_fetch_wait_max_ms=500, group_min_session_timeout_ms=500,
        group_initial_rebalance_delay_ms=200, consumer_session_timeout_ms=1_500, consumer_heartbeat_interval_ms=300,
    )  # fmt: skip
    cluster, checker = SimulatedCluster(ClusterSpec(seed=seed, settings=settings)), Checker()
    cluster.recording.readers.append(checker.feed_all)
    cluster.begin()

    def do(*texts: str) -> None:
        for text in texts:
            answer = asyncio.run(carry_out(cluster.desk, text, cluster.ready))
            assert answer.ok, answer.text

    do("topic orders partitions=3 replicas=3")
    do(*(f"consume orders group=g1 member={name} commit=each assignor=sticky" for name in "ab"))
    cluster.advance(1)
    do(*(f"produce orders-{index} 5" for index in range(3)))
    cluster.advance(1)
    do("member a pause", "produce orders-0 3", "produce orders-1 3")
    cluster.advance(2.5)
    do("member a resume", "consume orders group=g1 member=c commit=each assignor=sticky")
    cluster.advance(2)
    do("member b kill", "produce orders-2 4")
    cluster.advance(2.5)
    do(f"kill {cluster.cluster().leader_of(TopicPartition(OFFSETS_TOPIC, 0))}")
    cluster.advance(4)
    do(*(f"produce orders-{index} 2" for index in range(3)), "consume orders group=g1 member=d commit=each")
    cluster.advance(3)
    cluster.finish()
    return {line.info.id for line in checker.finish() if line.verdict is Verdict.VIOLATED}


def test_without_a_bug_nothing_is_found() -> None:
    assert broken_rules() == set()


@rule(source="planted")
def _takes_any(*_: Any) -> Ruling[ErrorCode]:
    return error_or_none(ErrorCode.NONE, "planted")


def _gives_first_to_all(applicants: Any, counts: Any) -> Any:
    everything = [TopicPartition(topic, index) for topic, count in counts.items() for index in range(count)]
    return {item.member_id: everything for item in applicants}


def _forgets_one(applicants: Any, counts: Any) -> Any:
    return assignors.assign_sticky(applicants, {topic: count - 1 for topic, count in counts.items()})


def _reads_half(self: Any, record: Any, at_offset: int, take: Any = loading.Loading.take) -> None:
    if len(self.offsets) < 1:
        take(self, record, at_offset)


def _tells_nothing(shard: Any, asker: Any, request: Any, on_fetch: Any = offsets.on_fetch) -> Any:
    return on_fetch(shard, asker, structs.replace(request, group="nobody"))


def _commits_ahead(state: Any, commit: Any = reading.commit, **how: Any) -> Any:
    known = [item for item in state.owned.values() if item.position > 0]
    for item in known:
        item.position += 2
    effects = commit(state, **how)
    for item in known:
        item.position -= 2
    return effects


BUGS = [
    ("two owners", (assignors.ASSIGNORS, "sticky", _gives_first_to_all), {"GR1"}),
    ("a partition is forgotten", (assignors.ASSIGNORS, "sticky", _forgets_one), {"GR2"}),
    ("any commit is taken", (classic_rules, "may_commit", _takes_any), {"GR5"}),
    ("a new coordinator reads half", (loading.Loading, "take", _reads_half), {"GR10"}),
    ("committed offsets are not told", (offsets, "on_fetch", _tells_nothing), {"GR8"}),
    ("offsets are committed before they are read", (reading, "commit", _commits_ahead), {"GR7"}),
]


@pytest.mark.parametrize(("place", "caught"), [bug[1:] for bug in BUGS], ids=[bug[0] for bug in BUGS])
def test_a_planted_bug_is_caught(monkeypatch: pytest.MonkeyPatch, place: Any, caught: set[str]) -> None:
    where, name, planted = place
    if isinstance(where, dict):
        monkeypatch.setitem(where, name, planted)
    else:
        monkeypatch.setattr(where, name, planted)
    assert caught <= broken_rules()
