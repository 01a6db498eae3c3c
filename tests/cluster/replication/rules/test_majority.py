"""What a majority commits, and when a replica counts."""

from __future__ import annotations

import pytest

from cluster.replication.rules.majority import adopt_epoch, commit_by_majority


@pytest.mark.parametrize(
    ("before", "ends", "replicas", "after"),
    [
        (0, [(1, 5), (2, 3), (3, 1)], 3, 3),
        (0, [(1, 5), (2, 3)], 3, 3),
        (0, [(1, 5)], 3, 0),
        (0, [(1, 5)], 1, 5),
        (0, [(1, 5), (2, 4)], 2, 4),
        (0, [(1, 9), (2, 7), (3, 5), (4, 3), (5, 1)], 5, 5),
        (0, [(1, 9), (2, 7)], 5, 0),
        (0, [(1, 9), (2, 7), (3, 5)], 4, 5),
        (4, [(1, 5), (2, 3), (3, 1)], 3, 4),
        (3, [(1, 5), (2, 3), (3, 1)], 3, 3),
        (0, [(2, 5), (3, 5)], 3, 5),
    ],
)
def test_what_the_middle_replica_has_is_committed_and_never_less(
    before: int, ends: list[tuple[int, int]], replicas: int, after: int
) -> None:
    ruling = commit_by_majority(before, ends, replicas)
    assert ruling.value == after
    assert ruling.granted == (after > before)
    assert not ruling.granted or ruling.numbers["majority"] == replicas // 2 + 1


@pytest.mark.parametrize(
    ("adopted", "epoch", "end", "start", "after"),
    [
        (-1, 0, 0, 0, 0),
        (0, 2, 7, 7, 2),
        (0, 2, 9, 7, 2),
        (0, 2, 6, 7, 0),
        (0, 2, 9, -1, 0),
        (2, 2, 9, 7, 2),
        (3, 2, 9, 7, 3),
    ],
)
def test_an_epoch_is_adopted_once_all_that_it_began_with_is_here(
    adopted: int, epoch: int, end: int, start: int, after: int
) -> None:
    ruling = adopt_epoch(adopted, epoch, end, start)
    assert (ruling.value, ruling.granted) == (after, after != adopted)
