"""A partition as labelled steps."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from judges.specification.causal_order import Recording
from judges.specification.not_judged import NotJudged
from judges.specification.replication_steps import mode_of, steps_of
from tests.support.specification.outside import entries_of

ORDERS = TopicPartition("orders", 0)


def test_a_replica_follows_where_its_leader_first_answers_and_its_cut_goes_with_it() -> None:
    steps = steps_of(Recording(entries_of("p06_classic_loss")), ORDERS, "hw")
    assert (steps.mode, steps.replicas) == ("hw", (1, 2))
    follows = [(step.node, step.leader, step.cut) for step in steps.steps if step.label == "follow"]
    assert follows == [(2, 1, None), (2, 1, 1), (1, 2, None)]


def test_a_fetch_counts_before_the_leader_counts_it() -> None:
    steps = steps_of(Recording(entries_of("p05_acks_1_loss")), ORDERS, "fetch").steps
    labels = [step.label for step in steps]
    assert labels.index("write") < labels.index("fetch") < labels.index("hw")


def test_what_the_specifications_have_no_word_for_is_not_judged() -> None:
    whys = {
        "d01_delete_records": ("orders", "records were deleted"), "d05_compaction": ("users", "records were compacted"),
        "r03_leader_cut_off": ("orders", "no partition orders-0"),
    }  # fmt: skip
    for scenario, (topic, why) in whys.items():
        with pytest.raises(NotJudged, match=why):
            steps_of(Recording(entries_of(scenario)), TopicPartition(topic, 0), "fetch")


def test_a_recording_without_its_settings_is_not_judged() -> None:
    entries = [one for one in entries_of("p05_acks_1_loss") if not isinstance(one.event, ev.RunStarted)]
    with pytest.raises(NotJudged, match="does not say its settings"):
        mode_of(entries)


def test_replicas_that_change_are_not_judged() -> None:
    entries = list(entries_of("p05_acks_1_loss"))
    at = max(at for at, one in enumerate(entries) if isinstance(one.event, ev.PartitionDecided))
    event = entries[at].event
    assert isinstance(event, ev.PartitionDecided)
    entries[at] = replace(entries[at], event=replace(event, replicas=(1, 2, 4)))
    with pytest.raises(NotJudged, match="reassigned"):
        steps_of(Recording(entries), ORDERS, "fetch")


def test_a_topic_that_commits_by_majority_is_not_judged() -> None:
    recording = Recording(entries_of("m01_most_complete_log_leads"))
    with pytest.raises(NotJudged, match="a majority of replicas commits"):
        steps_of(recording, TopicPartition("votes", 0), "fetch")
