"""What an active controller decides of partitions, from the moment the metadata log has committed it.

Brokers tell of it when they apply it. While none of them is up nobody does, and it is true all the same.
"""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import controller, quorum
from cluster.model.identifiers import NodeId, Offset
from workbench.session.views.nodes import NOT_WRITTEN

KINDS = frozenset(
    (
        controller.PartitionDecided,
        quorum.MetadataAppended,
        quorum.MetadataHighWatermarkAdvanced,
        quorum.LeaderElected,
    )
)
"""Kinds of events that it needs."""


class Decision(NamedTuple):
    """A partition's state that is not committed yet."""

    controller: NodeId
    event: controller.PartitionDecided
    end_offset: Offset = NOT_WRITTEN
    """One past its record in the metadata log, once it is written."""


class DecidedPartitions:
    """Decisions that wait for the high watermark. A new leader of the quorum may lack them: then they are forgotten."""

    __slots__ = ("_waiting",)

    def __init__(self, waiting: tuple[Decision, ...] = ()) -> None:
        self._waiting = waiting

    def copy(self) -> DecidedPartitions:
        """An independent copy."""
        return DecidedPartitions(self._waiting)

    def take(self, entry: Entry) -> list[controller.PartitionDecided]:
        """One entry of KINDS; what it commits, in the order of the decisions."""
        event, node = entry.event, entry.node
        if isinstance(event, controller.PartitionDecided):
            self._waiting = (*self._waiting, Decision(node, event))
        elif not self._waiting:
            return []
        elif isinstance(event, quorum.LeaderElected):
            self._waiting = ()
        elif isinstance(event, quorum.MetadataAppended) and event.role == "leader":
            self._waiting = tuple(
                item._replace(end_offset=event.end_offset)
                if item.controller == node and item.end_offset == NOT_WRITTEN
                else item
                for item in self._waiting
            )
        elif isinstance(event, quorum.MetadataHighWatermarkAdvanced):
            done = [
                item
                for item in self._waiting
                if item.controller == node and NOT_WRITTEN < item.end_offset <= event.high_watermark
            ]
            self._waiting = tuple(item for item in self._waiting if item not in done)
            return [item.event for item in done]
        return []
