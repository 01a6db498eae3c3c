"""The command that creates a topic, and what it takes where nothing is said."""

from __future__ import annotations

import pytest

from cluster.faults.grammar import parse_command
from cluster.language.topics import CreateTopic
from cluster.model.settings import Settings


@pytest.mark.parametrize(
    ("words", "min_isr"),
    [
        ("__transaction_state", Settings().transaction_state_min_isr),
        ("__transaction_state replicas=1", 1),
        ("__transaction_state min-isr=1", 1),
        ("__transaction_state assign=1", 1),
        ("__consumer_offsets", Settings().offsets_topic_min_isr),
        ("orders", 1),
    ],
)
def test_a_topic_of_coordinators_that_is_made_by_hand_needs_as_many_in_sync_as_by_itself(
    words: str, min_isr: int
) -> None:
    command = parse_command(f"topic {words}")
    assert isinstance(command, CreateTopic)
    assert command.min_isr == min_isr
