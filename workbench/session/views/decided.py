"""What an active controller decides of topics and partitions, from the moment the metadata log has committed it.

Brokers tell of it when they apply it. While none of them is up nobody does, and it is true all the same.
"""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import controller, quorum, storage
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from workbench.session.views.nodes import NOT_WRITTEN

KINDS = frozenset(
    (
        controller.PartitionDecided,
        controller.TopicDeleted,
        quorum.MetadataAppended,
        quorum.MetadataHighWatermarkAdvanced,
        quorum.LeaderElected,
        storage.LogRemoved,
    )
)
"""Kinds of events that it needs."""


class Decision(NamedTuple):
    """What is decided and not committed yet."""

    controller: NodeId
    """-1 when it lost its office meanwhile."""
    event: controller.PartitionDecided | controller.TopicDeleted
    base_offset: Offset = NOT_WRITTEN
    """Where the metadata log ended before it was written (exclusive)."""
    end_offset: Offset = NOT_WRITTEN
    """One past its record in the metadata log, once it is written."""


class Decided:
    """Decisions that wait for the high watermark.

    A new leader of the quorum may lack them: then they are forgotten, but for the end of a topic. That is committed as
    soon as a broker drops a log because of it.
    """

    __slots__ = ("_waiting",)

    def __init__(self, waiting: tuple[Decision, ...] = ()) -> None:
        self._waiting = waiting

    def copy(self) -> Decided:
        """An independent copy."""
        return Decided(self._waiting)

    def take(self, entry: Entry) -> list[Decision]:
        """One entry of KINDS; what it commits, in the order of the decisions."""
        event, node = entry.event, entry.node
        if isinstance(event, controller.PartitionDecided | controller.TopicDeleted):
            self._waiting = (*self._waiting, Decision(node, event))
        elif not self._waiting:
            return []
        elif isinstance(event, quorum.LeaderElected):
            self._waiting = tuple(item._replace(controller=NO_NODE) for item in self._waiting if _is_written_end(item))
        elif isinstance(event, quorum.MetadataAppended) and event.role == "leader":
            self._waiting = tuple(
                item._replace(base_offset=event.base_offset, end_offset=event.end_offset)
                if item.controller == node and item.end_offset == NOT_WRITTEN
                else item
                for item in self._waiting
            )
        else:
            done = [item for item in self._waiting if _is_committed(item, entry)]
            self._waiting = tuple(item for item in self._waiting if item not in done)
            return done
        return []


def _is_written_end(item: Decision) -> bool:
    return isinstance(item.event, controller.TopicDeleted) and item.end_offset > NOT_WRITTEN


def _is_committed(item: Decision, entry: Entry) -> bool:
    """Whether this tells that it is."""
    event = entry.event
    if isinstance(event, quorum.MetadataHighWatermarkAdvanced):
        return item.controller == entry.node and NOT_WRITTEN < item.end_offset <= event.high_watermark
    return isinstance(event, storage.LogRemoved) and _is_written_end(item) and item.event.topic == event.topic
