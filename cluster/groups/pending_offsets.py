"""Offsets of a group that wait for the end of the transaction that wrote them. Source: Kafka OffsetMetadataManager."""

from __future__ import annotations

from cluster.groups.state import CommittedOffset, Group, PendingOffset
from cluster.model.identifiers import Offset, TopicPartition

NOT_WRITTEN: Offset = 1 << 62
"""Of a record that is on its way: later than all that are written."""


def settle(group: Group, pending: dict[TopicPartition, PendingOffset]) -> dict[TopicPartition, CommittedOffset]:
    """Take offsets over, and drop pending ones of other transactions that were written before them."""
    counted = {where: item.committed for where, item in pending.items()}
    for where, item in pending.items():
        supersede(group, where, item.at_offset)
    group.offsets.update(counted)
    return counted


def supersede(group: Group, where: TopicPartition, at_offset: Offset) -> None:
    """An offset that was written later counts: older ones that are pending never will."""
    for others in group.pending_offsets.values():
        if where in others and others[where].at_offset < at_offset:
            del others[where]
    tidy(group)


def tidy(group: Group) -> None:
    """Producers of which nothing is pending are not remembered."""
    for producer_id in [producer_id for producer_id, items in group.pending_offsets.items() if not items]:
        del group.pending_offsets[producer_id]


def unstable(group: Group) -> set[TopicPartition]:
    """Partitions whose offset a transaction that is open may change."""
    return {where for items in group.pending_offsets.values() for where in items}
