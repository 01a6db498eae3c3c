"""What readers of committed records are given: whole transactions, once they are committed. Source: KIP-98."""

from __future__ import annotations

from collections import deque

from cluster.invariants.clients.polls import offsets_of
from cluster.invariants.ghost.parts import PartitionGhost
from cluster.invariants.ghost.transactions import COMMIT, DATA, Piece
from cluster.invariants.group import LOSS, Group, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import Offset, TopicPartition


class CommittedReadInvariants(Group):
    """C17 and TX1. Of Kafka clients brokers tell what they gave and what to leave out; built-in ones tell it all."""

    C17 = invariant("who reads committed records gets those of committed transactions only, and all", "KIP-98", *LOSS)
    TX1 = invariant("the last stable offset stays before each undecided transaction", "UnifiedLog, KIP-98", *LOSS)

    @after
    def _given(self, entry: Entry, event: ev.CommittedRecordsGiven) -> None:
        where = TopicPartition(event.topic, event.partition)
        ghost = self.ghost.here
        self.TX1.checks += 1
        transactions, start = ghost.transactions.of(entry.node), ghost.logs[entry.node].log_start_offset
        bound = max(start, transactions.undecided_from(event.high_watermark, start))
        if event.last_stable_offset > bound:
            self.TX1.violated(
                f"node {entry.node} says that {where} is stable up to {event.last_stable_offset}; a transaction from "
                f"offset {bound} on is not decided by a committed marker",
                entry,
                at=f"offset {bound}",
            )
        if event.end_offset > event.last_stable_offset:
            self._wrong(entry, where, event.end_offset - 1, "it is not below the last stable offset that goes with it")
        self._judge_given(entry, event, ghost, where)

    def _judge_given(
        self, entry: Entry, event: ev.CommittedRecordsGiven, ghost: PartitionGhost, where: TopicPartition
    ) -> None:
        """Leave out what a consumer leaves out, look at the rest. Source: Kafka CompletedFetch.nextFetchedRecord."""
        coming = deque(sorted(event.aborted, key=lambda each: each[1]))
        left_out: set[int] = set()
        for piece in ghost.transactions.of(entry.node).within(event.fetch_offset, event.end_offset):
            while coming and coming[0][1] < piece.end_offset:
                left_out.add(coming.popleft()[0])
            if piece.what != DATA:
                left_out -= {piece.producer_id} if piece.what != COMMIT else set()
            elif not ghost.compacted.may_skip(piece.base_offset, piece.end_offset):
                self.C17.checks += 1
                self._judge_piece(entry, where, piece, is_left_out=piece.producer_id in left_out)

    def _judge_piece(self, entry: Entry, where: TopicPartition, piece: Piece, *, is_left_out: bool) -> None:
        span = piece.span
        is_committed = span is not None and span.marker >= 0 and span.is_committed
        if is_committed == is_left_out:
            became = "committed" if is_committed else "aborted" if span is not None and span.marker >= 0 else "open"
            does = "is told to leave out" if is_left_out else "is given"
            why = f"its transaction is {became}, and who reads committed records {does} it"
            self._wrong(entry, where, piece.base_offset, why)

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """Against the newest leader's log: it has all that was committed."""
        _, invoked = self.ghost.operations.get((event.client_id, event.operation_id), (None, None))
        if invoked is None or not invoked.isolation:
            return
        where = TopicPartition(event.topic, event.partition)
        ghost = self.ghost.of(event)
        if ghost.newest is None or not event.count:
            return
        transactions = ghost.transactions.of(ghost.newest.node)
        for offset in offsets_of(event):
            self.C17.checks += 1
            fate = transactions.fate(offset)
            if fate not in ("", COMMIT):
                how = "open" if fate == "open" else "aborted"
                self._wrong(
                    entry, where, offset, f"its transaction is {how}, and a consumer of committed records read it"
                )

    def _wrong(self, entry: Entry, where: TopicPartition, offset: Offset, why: str) -> None:
        self.C17.violated(f"the record at {where} offset {offset}: {why}", entry, at=f"offset {offset}")
