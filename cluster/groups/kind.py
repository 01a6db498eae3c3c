"""A group is of one protocol at a time: how one without members becomes one of the other, and what deletes either.

Source: Kafka GroupMetadataManager.maybeDeleteEmptyClassicGroup, maybeDeleteEmptyConsumerGroup. Groups that have members
are not migrated here, where Kafka may (group.consumer.migration.policy).
"""

from __future__ import annotations

from cluster.coordination.writing import nobody, nothing, write
from cluster.groups.consumer.records import tombstones
from cluster.groups.records import group_tombstone
from cluster.groups.state import Group, Shard, Shared
from cluster.groups.state_changes import told_of_another_kind
from cluster.model.effects import Effect
from cluster.model.record_batch import Record


def group_tombstones(group: Group) -> list[Record]:
    """What deletes the group itself; its offsets have records of their own."""
    return [group_tombstone(group.name)] if group.consumer is None else tombstones(group.name, group.consumer)


def to_classic(shared: Shared, shard: Shard, group: Group) -> list[Effect]:
    """A member of the classic protocol comes into an empty group of the newer one."""
    records = group_tombstones(group)
    effects = told_of_another_kind(group)
    group.consumer = None
    group.presence.clear()
    return [*effects, *write(shared, shard, records, nothing, nobody)]
