"""What the swarm plans of topics is what its commands make; few seeds compact, and then in small segments."""

from __future__ import annotations

from random import Random

import pytest

from cluster.faults.grammar import parse_command
from cluster.model.identifiers import OFFSETS_TOPIC
from cluster.simulation.swarm.planned import (
    COMPACTED_SHARE,
    SMALL_SEGMENT_BYTES,
    PlannedTopic,
    compacted,
    offsets_topic,
)

ORDERS = PlannedTopic("orders", 3, 2, 1)
SEEDS = range(2_000)


def test_a_topic_without_bounds_says_none() -> None:
    assert ORDERS.command == "topic orders partitions=3 replicas=2 min-isr=1"


def test_every_bound_and_the_rule_stand_in_the_command_with_their_units() -> None:
    topic = PlannedTopic(
        "orders", 3, 2, 1, commit_rule="majority", segment_bytes=300, retention_bytes=900, retention_ms=50,
        cleanup="compact,delete", dirty_percent=10, delete_retention_ms=100,
    )  # fmt: skip
    assert topic.command == (
        "topic orders partitions=3 replicas=2 min-isr=1 commit-rule=majority segment-bytes=300 retention-bytes=900"
        " retention-ms=50ms cleanup=compact,delete dirty-percent=10 delete-retention=100ms"
    )


def test_how_dirty_a_log_may_be_is_said_only_where_it_is_compacted() -> None:
    assert PlannedTopic("orders", 3, 2, 1, dirty_percent=10, delete_retention_ms=100).bounds == ""


@pytest.mark.parametrize("seed", range(20))
def test_every_planned_topic_is_a_command_that_the_grammar_reads(seed: int) -> None:
    random = Random(seed)
    for topic in (ORDERS, offsets_topic(random, 2, 1), *compacted(random, [ORDERS])):
        parse_command(topic.command)


@pytest.mark.parametrize(("commit_rule", "rule"), [("", "1"), ("isr", "isr"), ("majority", "majority")])
def test_the_least_isr_commits_where_no_rule_is_given(commit_rule: str, rule: str) -> None:
    assert PlannedTopic("orders", 3, 2, 1, commit_rule).rule == rule


def test_about_as_many_seeds_as_planned_compact() -> None:
    share = sum(bool(compacted(Random(seed), [ORDERS])) for seed in SEEDS) / len(SEEDS)
    assert abs(share - COMPACTED_SHARE) < 0.03


def test_a_seed_that_compacts_keeps_its_topics_and_a_segment_that_is_small_already() -> None:
    small = PlannedTopic("bills", 1, 1, 1, segment_bytes=77)
    drawn = [topics for seed in SEEDS if (topics := compacted(Random(seed), [ORDERS, small]))]
    assert {tuple((topic.name, topic.partitions) for topic in topics) for topics in drawn} == {
        (("orders", 3), ("bills", 1))
    }
    assert {topics[0].segment_bytes for topics in drawn if topics[0].cleanup} == set(SMALL_SEGMENT_BYTES)
    assert {topics[1].segment_bytes for topics in drawn} == {77}
    assert {bool(topics[0].cleanup) for topics in drawn} == {True, False}, "some topics are left as they were"


@pytest.mark.parametrize("seed", range(20))
def test_offsets_are_never_deleted_by_age_and_a_group_s_record_fits_a_segment(seed: int) -> None:
    topic = offsets_topic(Random(seed), 3, 2)
    assert (topic.name, topic.replicas, topic.min_isr) == (OFFSETS_TOPIC, 3, 2)
    assert (topic.cleanup, topic.segment_bytes, topic.retention_ms) == ("compact", 2_000, 0)
