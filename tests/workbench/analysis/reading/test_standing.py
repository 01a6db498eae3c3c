"""What is kept of a partition does not depend on the order in which its events are read."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from workbench.analysis.reading.standing import ADVANCED, APPLIED, LEADS, Standing, sentence, standing_of


def _applied(partition_epoch: int, leader_epoch: int, leader: int, *isr: int) -> tuple[str, int, dict[str, Any]]:
    told = {"partition_epoch": partition_epoch, "leader_epoch": leader_epoch, "leader": leader, "isr": list(isr)}
    return APPLIED, 9, {**told, "min_insync_replicas": 2}


def _advanced(leader_epoch: int, high_watermark: int, role: str = "leader") -> tuple[str, int, dict[str, Any]]:
    return ADVANCED, 1, {"leader_epoch": leader_epoch, "high_watermark": high_watermark, "role": role}


GOOD = [
    _applied(0, 0, 1, 1, 2, 3),
    _applied(1, 1, 2, 2),
    (LEADS, 2, {"leader_epoch": 1}),
    _advanced(0, 9),
    _advanced(1, 7),
    _advanced(1, 30, "follower"),
]


def _after(events: list[tuple[str, int, dict[str, Any]]]) -> Standing:
    standing = Standing()
    for event in events:
        standing.take(*event)
    return standing


def test_the_newest_state_and_the_watermark_of_the_newest_leader_count_in_any_order() -> None:
    rows = [_after(list(order)).row() for order in permutations(GOOD)]
    assert all(row == rows[0] for row in rows)
    assert rows[0] == {
        "leader": 2,
        "leader_epoch": 1,
        "partition_epoch": 1,
        "isr": [2],
        "under_min_isr": True,
        "high_watermark": 7,
        "epochs_with_two_leaders": 0,
        "epochs_with_two_states": 0,
    }


def test_what_was_kept_apart_and_merged_is_what_one_would_have_kept() -> None:
    wrong = [*GOOD, (LEADS, 3, {"leader_epoch": 1}), _applied(1, 1, 2, 2, 3)]
    for place in range(len(wrong)):
        one, other = _after(wrong[:place]), _after(wrong[place:])
        one.merge(standing_of(other.text()))
        assert one == _after(wrong)
    assert (one.row()["epochs_with_two_leaders"], one.row()["epochs_with_two_states"]) == (1, 1)


def test_a_sentence_tells_what_is_wrong() -> None:
    assert sentence("orders", 0, _after(GOOD).row()) == (
        "orders-0: leader 2 in epoch 1; ISR 2; high watermark 7; below min.insync.replicas"
    )
    assert sentence("orders", 0, Standing().row()) == "orders-0: no state was committed yet"
    leaderless = _after([_applied(2, 2, -1), _advanced(0, 1), (LEADS, 1, {"leader_epoch": 0}), *GOOD[2:3]])
    assert sentence("o\x1b", 1, leaderless.row()).endswith(
        "-1: no leader in epoch 2; ISR empty; high watermark 1; below min.insync.replicas"
    )
    assert "\x1b" not in sentence("o\x1b", 1, leaderless.row())
    twice = _after([*GOOD, (LEADS, 3, {"leader_epoch": 1}), _applied(1, 1, 3, 3)])
    assert sentence("o", 0, twice.row()).endswith("TWO LEADERS IN ONE EPOCH; TWO STATES UNDER ONE PARTITION EPOCH")
