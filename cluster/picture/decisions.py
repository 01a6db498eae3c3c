"""What active controllers have decided and the metadata log has not committed yet.

A controller that loses its office before a decision is committed may have decided nothing: its successor goes on with
what its own log holds, and the rest was never so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from cluster.model import events as ev
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.picture.logs import LogState
from cluster.picture.part import Part

Fencing: TypeAlias = ev.BrokerRegistered | ev.BrokerFenced | ev.BrokerUnfenced
Decided: TypeAlias = ev.PartitionDecided | ev.TopicDeleted | Fencing


class Waiting(NamedTuple):
    """A decision that is not committed."""

    controller: NodeId
    """-1 when it lost its office meanwhile."""
    epoch: Epoch
    """The quorum epoch that it was decided in."""
    event: Decided
    was_fenced: bool | None = None
    """Of a change of a broker's state: what the broker was."""
    base_offset: Offset = UNKNOWN_OFFSET
    """Where the metadata log ended before it was written (exclusive); -1 while it is not in the log."""
    end_offset: Offset = UNKNOWN_OFFSET
    """One past its record in the metadata log; -1 while it is not there."""


class Decisions(Part):
    """Decisions that wait for the high watermark, oldest first."""

    __slots__ = ("_waiting",)

    def __init__(self, waiting: Iterable[Waiting] = ()) -> None:
        self._waiting = tuple(waiting)

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """Decisions of controllers that no high watermark covers yet, oldest first."""
        return self._waiting

    def note(self, decision: Waiting) -> None:
        """A controller decided; where it stands in its log is told next."""
        self._waiting = (*self._waiting, decision)

    def appended(self, node: NodeId, base_offset: Offset, end_offset: Offset) -> None:
        """The log of a leader of the quorum has grown by all that it has decided."""
        self._waiting = tuple(
            item._replace(base_offset=base_offset, end_offset=end_offset)
            if item.controller == node and item.end_offset == UNKNOWN_OFFSET
            else item
            for item in self._waiting
        )

    def committed(self, node: NodeId, high_watermark: Offset) -> list[Waiting]:
        """Those that a leader of the quorum knows to be committed now."""
        done = [
            item
            for item in self._waiting
            if item.controller == node and UNKNOWN_OFFSET < item.end_offset <= high_watermark
        ]
        if done:
            self._waiting = tuple(item for item in self._waiting if item not in done)
        return done

    def office_lost(self, node: NodeId) -> None:
        """It commits nothing more; who follows may not have what it wrote."""
        self._waiting = tuple(
            item._replace(controller=NO_NODE) if item.controller == node else item for item in self._waiting
        )

    def succeeded(self, node: NodeId, start_offset: Offset, log: LogState) -> list[Waiting]:
        """A new leader of the quorum begins at start_offset of its log; those that it lacks, newest first."""
        kept: list[Waiting] = []
        lacking: list[Waiting] = []
        for item in self._waiting:
            has_it = UNKNOWN_OFFSET < item.end_offset <= start_offset
            has_it = has_it and log.epoch_at(item.end_offset - 1) == item.epoch
            (kept if has_it else lacking).append(item)
        self._waiting = tuple(item._replace(controller=node) for item in kept)
        return lacking[::-1]

    def __bool__(self) -> bool:
        return bool(self._waiting)
