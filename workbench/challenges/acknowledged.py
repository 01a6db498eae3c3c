"""Which records were acknowledged with which acks, and which of them a leader lacks."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from workbench.session.views.cluster import ClusterView

ALL, LEADER = -1, 1


class Acknowledged:
    """Folds what producers asked and what they were told."""

    def __init__(self) -> None:
        self._asked: dict[tuple[str, int], int] = {}
        self._acks: dict[tuple[TopicPartition, int], int] = {}
        """(partition, base offset) of an acknowledged batch, and the acks it was asked with."""
        self.count = 0
        """Records, whatever their acks."""

    def apply(self, event: ev.OperationInvoked | ev.OperationSucceeded) -> None:
        """Note what a producer asks, and what it was told of it."""
        if event.function != "produce":
            return
        if isinstance(event, ev.OperationInvoked):
            self._asked[event.client_id, event.operation_id] = event.acks
            return
        acks = self._asked.pop((event.client_id, event.operation_id), ALL)
        self._acks[TopicPartition(event.topic, event.partition), event.base_offset] = acks
        self.count += event.count

    def lost(self, picture: ClusterView, acks: int) -> int:
        """How many records that were acknowledged with these acks are on the log of who leads now no more."""
        count = 0
        for where in {where for where, _ in self._acks}:
            gone = picture.lost(where) or []
            count += sum(item.record_count for item in gone if self._acks.get((where, item.base_offset)) == acks)
        return count
