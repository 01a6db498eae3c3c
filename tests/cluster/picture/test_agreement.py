"""Whether replicas agree, asked while their logs grow, are cut, and are looked at in the past."""

from __future__ import annotations

import random

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.picture.agreement import Agreement
from cluster.picture.cluster_state import ClusterState
from cluster.picture.logs import LogCut, LogState
from cluster.picture.parts import NodeState, PartitionState

TP = TopicPartition("orders", 0)
NODES = (1, 2, 3)


def begun() -> ClusterState:
    state = ClusterState()
    state.partitions[TP] = PartitionState(TP, replicas=NODES, partition_epoch=0)
    for node in NODES:
        state.nodes[node] = NodeState(node, stage="running")
    return state


def change(state: ClusterState, dice: random.Random) -> None:
    """One log grows by a batch, mostly the one that all have there, is cut, or is deleted."""
    state.entries += 1
    log = state.log(dice.choice(NODES), TP)
    end = log.log_end_offset
    if end and dice.random() < 0.15:
        log.cut(LogCut(0, 1, TP, end, dice.randrange(end), -1, "truncated", ""))
    elif end and dice.random() < 0.1:
        log.append(end - 1, end, [(end - 1, 1, 1, dice.choice("ab"))])
    elif dice.random() < 0.02:
        del state.logs[dice.choice(list(state.logs))]
    else:
        log.append(end, end + 1, [(end, 1, 1, "a" if dice.random() < 0.95 else "b")])


@pytest.mark.parametrize("seed", range(20))
def test_it_says_what_a_whole_comparison_says_now_and_of_the_past(seed: int) -> None:
    dice, agreement, state = random.Random(seed), Agreement(), begun()
    past: list[ClusterState] = []
    told = set()
    for _ in range(300):
        change(state, dice)
        shown = state if dice.random() < 0.8 or not past else dice.choice(past)
        found = agreement.divergence(shown, TP)
        assert found == shown.divergence(TP)
        told.add(found)
        if dice.random() < 0.1:
            past.append(state.copy())
    assert len(told) > 2, "agreed and differed"


def test_what_was_compared_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def difference(ours: LogState, theirs: LogState, start_offset: int) -> None:
        looked.append(min(ours.log_end_offset, theirs.log_end_offset) - start_offset)

    monkeypatch.setattr("cluster.picture.agreement.difference", difference)
    agreement, state = Agreement(), begun()
    for offset in range(50):
        for node in NODES:
            state.log(node, TP).append(offset, offset + 1, [(offset, 1, 1, "a")])
        for _ in range(3):
            agreement.divergence(state, TP)
    assert looked == [1] * 150
