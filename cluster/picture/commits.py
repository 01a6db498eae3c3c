"""Who commits what, and how long that took: from a leader's append until its high watermark has passed it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from cluster.model.entry import Entry
from cluster.model.events import BecameLeader, HighWatermarkAdvanced, ReplicaAppended
from cluster.model.identifiers import NO_NODE, NodeId, Offset, TopicPartition
from cluster.model.topic_settings import MAJORITY
from cluster.picture.part import Part, SharedPart, own

OPEN_MAX = 64
"""Appends of a leader that are remembered until they are committed, the newest."""
RUN_RULE = "commit_rule"
"""The setting of the run, for topics that do not say."""


@dataclass(slots=True)
class Commits(SharedPart):
    """What the newest leader of a partition has appended and committed."""

    leader: NodeId = NO_NODE
    open: tuple[tuple[Offset, int], ...] = ()
    """(end offset, when) of appends that are not committed, oldest first."""
    newest_ns: int = -1
    """How long the newest committed append took; -1 before the first."""
    carriers: tuple[NodeId, ...] = ()
    """Who was counted as having all of it when the high watermark moved last."""
    count: int = 0
    """Appends that were committed by the leader that made them, this one or one before."""
    total_ns: int = 0
    """How long these took."""
    longest_ns: int = 0
    """The longest of them."""


@dataclass(slots=True)
class CommitRules(Part):
    """Of all partitions."""

    run_rule: str = ""
    topics: dict[str, str] = field(default_factory=dict)
    """Topics that say which rule they have; untrusted text."""
    partitions: dict[TopicPartition, Commits] = field(default_factory=dict)

    def run_started(self, config: str) -> None:
        """The rule of the run stands in its settings; untrusted text."""
        try:
            self.run_rule = str(json.loads(config)[RUN_RULE])
        except (ValueError, TypeError, KeyError, RecursionError):
            self.run_rule = ""

    def is_majority(self, topic: str) -> bool:
        """Whether a majority of the replicas commits its records, rather than the ISR."""
        return self.topics.get(topic, self.run_rule) == MAJORITY

    def commit_ns(self, topic_partition: TopicPartition) -> int:
        """How long the newest committed append took; -1 before the first."""
        commits = self.partitions.get(topic_partition)
        return -1 if commits is None else commits.newest_ns

    def became_leader(self, entry: Entry, event: BecameLeader) -> None:
        """What the leader before has not committed is nobody's time."""
        where = TopicPartition(event.topic, event.partition)
        commits = own(self.partitions, where)
        if commits is None:
            commits = self.partitions[where] = Commits()
        commits.leader, commits.open, commits.newest_ns = entry.node, (), -1

    def appended(self, where: TopicPartition, entry: Entry, event: ReplicaAppended) -> None:
        """A leader wrote records."""
        commits = own(self.partitions, where)
        if commits is not None and commits.leader == entry.node:
            commits.open = (*commits.open[1 - OPEN_MAX :], (event.end_offset, entry.t_ns))

    def advanced(self, where: TopicPartition, entry: Entry, event: HighWatermarkAdvanced) -> None:
        """A leader's high watermark passed some of them."""
        commits = own(self.partitions, where)
        if commits is None or commits.leader != entry.node:
            return
        commits.carriers = tuple([node for node, end in event.log_end_offsets if end >= event.high_watermark])
        done = [t_ns for end_offset, t_ns in commits.open if end_offset <= event.high_watermark]
        if done:
            commits.newest_ns, commits.open = entry.t_ns - done[-1], commits.open[len(done) :]
            commits.count += len(done)
            commits.total_ns += len(done) * entry.t_ns - sum(done)
            commits.longest_ns = max(commits.longest_ns, entry.t_ns - done[0])
