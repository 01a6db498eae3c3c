"""What a seed of the swarm makes when it begins: topics and groups."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from cluster.model.identifiers import OFFSETS_TOPIC

COMPACTED_SHARE, COMPACTED_STREAM = 0.12, "compaction 10092"
"""Of the seeds in which logs are compacted; from a stream that leaves seeds that tests name, and all below 76,
the runs that they were."""
SMALL_SEGMENT_BYTES = (300, 400, 1_500)
GROUP_SHARE, SECOND_GROUP_SHARE = 0.5, 0.3
"""Of the seeds that have a consumer group, and of those the ones that have a second."""
NEWER_SHARE = 0.45
"""Of the groups, those of the newer protocol."""
ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
NEWER_ASSIGNORS = ("uniform", "range")


class PlannedTopic(NamedTuple):
    """One topic of a seed."""

    name: str
    partitions: int
    replicas: int
    """Of each partition."""
    min_isr: int
    commit_rule: str = ""
    """isr or majority; empty: as the run has it."""
    segment_bytes: int = 0
    """Of its logs; 0 for the default, so that there is one segment."""
    retention_bytes: int = 0
    """0 keeps all, as of the next."""
    retention_ms: int = 0
    cleanup: str = ""
    """cleanup.policy; empty for the default, and so for no compaction."""
    dirty_percent: int = 0
    """Of what can be compacted more than this is new."""
    delete_retention_ms: int = 0
    """How long tombstones stay."""

    @property
    def command(self) -> str:
        """What makes it."""
        numbers = f"partitions={self.partitions} replicas={self.replicas} min-isr={self.min_isr}"
        rule = f" commit-rule={self.commit_rule}" if self.commit_rule else ""
        return f"topic {self.name} {numbers}{rule}{self.bounds}"

    @property
    def rule(self) -> str:
        """What commits: isr, majority, or the least ISR."""
        return self.commit_rule or str(self.min_isr)

    @property
    def bounds(self) -> str:
        """As the command says it that makes the topic."""
        told = {"segment-bytes": str(self.segment_bytes), "retention-bytes": str(self.retention_bytes)}
        told["retention-ms"] = f"{self.retention_ms}ms"
        if self.cleanup:
            told["cleanup"], told["dirty-percent"] = self.cleanup, str(self.dirty_percent)
            told["delete-retention"] = f"{self.delete_retention_ms}ms"
        return "".join(f" {name}={text}" for name, text in told.items() if text not in ("0", "0ms"))


class PlannedGroup(NamedTuple):
    """One consumer group of a seed."""

    name: str
    topics: tuple[str, ...]
    """What its members subscribe to."""
    members: int
    """At work at a time."""
    protocol: str
    """classic or consumer (KIP-848)."""
    assignor: str
    """How they divide the partitions."""


def draw_groups(random: Random, topics: tuple[str, ...]) -> tuple[PlannedGroup, ...]:
    """Half of the seeds have a consumer group, and some a second beside it."""
    if random.random() >= GROUP_SHARE:
        return ()
    names = ("swarm", "other") if random.random() < SECOND_GROUP_SHARE else ("swarm",)
    groups = []
    for name in names:
        protocol = "consumer" if random.random() < NEWER_SHARE else "classic"
        assignor = random.choice(ASSIGNORS if protocol == "classic" else NEWER_ASSIGNORS)
        some = topics if random.random() < 0.5 else topics[:1]
        groups.append(PlannedGroup(name, some, random.choice((1, 2, 3)), protocol, assignor))
    return tuple(groups)


def compacted(random: Random, topics: Sequence[PlannedTopic]) -> tuple[PlannedTopic, ...]:
    """The same topics, some of them by key, in small segments; empty in most seeds."""
    if random.random() >= COMPACTED_SHARE:
        return ()
    return tuple(_compacted(random, topic) if random.random() < 0.8 else topic for topic in topics)


def offsets_topic(random: Random, replicas: int, min_isr: int) -> PlannedTopic:
    """One that is compacted while groups are at work. The record of a group has to fit a segment."""
    topic = PlannedTopic(OFFSETS_TOPIC, random.choice((1, 2)), replicas, min_isr)
    return _compacted(random, topic)._replace(cleanup="compact", segment_bytes=2_000)


def _compacted(random: Random, topic: PlannedTopic) -> PlannedTopic:
    return topic._replace(
        segment_bytes=topic.segment_bytes or random.choice(SMALL_SEGMENT_BYTES),
        cleanup=random.choice(("compact", "compact", "compact,delete")),
        dirty_percent=random.choice((1, 10, 50)),
        delete_retention_ms=random.choice((100, 500, 5_000)),
    )
