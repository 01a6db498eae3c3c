"""Steps as a line of states."""

from __future__ import annotations

from collections import Counter

import pytest

from cluster.model.identifiers import TopicPartition
from tests.support.specification.outside import entries_of
from workbench.specification.causal_order import Recording
from workbench.specification.not_judged import NotJudged
from workbench.specification.replication_states import ADDED, State, states_of
from workbench.specification.replication_steps import steps_of


def line_of(scenario: str, mode: str) -> list[State]:
    return states_of(steps_of(Recording(entries_of(scenario)), TopicPartition("orders", 0), mode))


def test_each_state_says_all_that_is_seen_and_a_batch_is_a_step_for_each_record() -> None:
    states = line_of("p05_acks_1_loss", "fetch")
    assert states[0].label == "init" and states[0].decision.epoch == -1 and states[1].label == "elect"
    written = [state for state in states if state.label == "write"]
    assert [len(state.replicas[0].log) for state in written[:5]] == [1, 2, 3, 4, 5]
    last = states[-1].replicas
    assert last[0].log == last[1].log == last[2].log and {one.high_watermark for one in last} == {6}


def test_a_tail_that_went_with_the_power_is_not_a_restart() -> None:
    labels = Counter(state.label for state in line_of("p08_classic_divergence", "hw"))
    assert labels["lost-tail"] == 1 and labels["restart"] == 2 and "lost-tail" in ADDED
    assert "lost-tail" not in Counter(state.label for state in line_of("p06_classic_loss", "hw"))


def test_an_eligible_leader_replica_is_not_judged() -> None:
    with pytest.raises(NotJudged, match="KIP-966"):
        line_of("p27_elr_all_die", "fetch")
