"""What a coordinator decides about a transaction, and what leaders make of it. Source: KIP-98, KIP-890."""

from __future__ import annotations

from msgspec import Struct, field

from cluster.invariants.ghost.transactions import DATA, Piece
from cluster.invariants.group import LOSS, Group, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import TRANSACTIONS_TOPIC, NodeId, Offset, TopicPartition
from cluster.model.offsets_topic import partition_for

ONGOING, PREPARE_COMMIT = "Ongoing", "PrepareCommit"
PREPARED, COMPLETE = (PREPARE_COMMIT, "PrepareAbort"), ("CompleteCommit", "CompleteAbort")
"""States of a transaction, in Kafka's words."""
END: Offset = 1 << 62
KAFKA_PARTITIONS = 50
"""transaction.state.log.num.partitions of a run that does not say."""


class Word(Struct):
    """The newest that a coordinator has said of a transactional id."""

    producer_id: int
    producer_epoch: int
    state: str
    offset: Offset
    """Of its record."""
    event: EventId
    partitions: frozenset[tuple[str, int]] | None = None
    """Of the transaction; None when nobody has said which."""
    data_epoch: int | None = None
    """The producer epoch of its records; None when nobody has said."""
    marked: set[tuple[str, int]] = field(default_factory=set)
    """Where its marker is written."""


class CoordinatedInvariants(Group):
    """TX2, TX3, TX4 and TX5."""

    TX2 = invariant("a marker says what a coordinator has decided, once and for all", "KIP-98", *LOSS, "A13")
    TX3 = invariant("a transaction is complete when each of its partitions has the marker", "KIP-98", *LOSS)
    TX4 = invariant("a producer epoch that is over writes no more", "KIP-98, ProducerAppendInfo", *LOSS)
    TX5 = invariant("no transaction is begun that nobody will end", "KIP-890", *LOSS, "A13")

    def begin(self) -> None:
        self._count = 0
        self._words: dict[str, Word] = {}
        self._told: dict[int, Offset] = {}
        """Of the newest record that was told of, by partition of __transaction_state."""
        self._ids: dict[int, str] = {}
        self._marked: dict[tuple[TopicPartition, int, int, bool], set[Offset]] = {}
        """Where leaders have written a marker; one that is deposed and does not know it may do so after the next."""
        self._begun: dict[tuple[NodeId, TopicPartition], list[tuple[Piece, str]]] = {}
        """Batches that should not have begun a transaction, until they are committed."""

    def _home(self, transactional_id: str) -> TopicPartition:
        """Where its coordinator writes."""
        self._count = self._count or int(self.ghost.settings.get("transaction_state_partitions") or KAFKA_PARTITIONS)
        return TopicPartition(TRANSACTIONS_TOPIC, partition_for(transactional_id, self._count))

    def _excusable(self, where: TopicPartition, transactional_id: str) -> TopicPartition:
        """The partition whose losses explain it: where the transaction is coordinated, or where it wrote."""
        home = self._home(transactional_id)
        return home if self.ledger.excuse(LOSS, home) is not None else where

    @after
    def _on_loaded(self, entry: Entry, event: ev.TransactionCoordinatorLoaded) -> None:
        """The next coordinator goes on with what its log says, even with what the last one did not get to tell."""
        for name, state, producer_id, epoch in event.transactions:
            word = self._words.get(name)
            if word is not None and (word.producer_id, word.producer_epoch, word.state) == (
                producer_id, epoch, state,
            ):  # fmt: skip
                if state == ONGOING and event.end_offset - 1 > self._told.get(event.partition, -1):
                    word.partitions = None  # the last one wrote of more, and did not get to tell
                continue
            self._ids[producer_id] = name
            self._check_change(entry, name, word, state, "")
            self._words[name] = Word(producer_id, epoch, state, event.end_offset - 1, entry.id)

    @after
    def _on_state(self, entry: Entry, event: ev.TransactionStateChanged) -> None:
        name, word_before = event.transactional_id, self._words.get(event.transactional_id)
        home = self._home(name).partition
        self._ids[event.producer_id] = name
        self._told[home] = max(event.offset, self._told.get(home, -1))
        if word_before is not None and event.offset <= word_before.offset:
            return  # a later coordinator has read it already
        self._check_change(entry, name, word_before, event.state, event.before)
        word = Word(event.producer_id, event.producer_epoch, event.state, event.offset, entry.id)
        word.partitions = frozenset(event.partitions)
        is_of_same = word_before is not None and word_before.state in (ONGOING, *PREPARED)
        if event.state == ONGOING:
            word.data_epoch = event.producer_epoch
            if word_before is not None and word_before.state == ONGOING:
                word.marked = word_before.marked
        elif event.state in PREPARED and word_before is not None and is_of_same:
            word.data_epoch, word.marked = word_before.data_epoch, word_before.marked
        if event.state in COMPLETE and word_before is not None and word_before.state in PREPARED:
            self._check_complete(entry, name, word_before)
        self._words[name] = word

    def _check_change(self, entry: Entry, name: str, known: Word | None, state: str, before: str) -> None:
        """TX2: what is decided stays so until it is complete."""
        if known is None or known.state not in PREPARED:
            return
        self.TX2.checks += 1
        is_commit = known.state == PREPARE_COMMIT
        fits = ("CompleteCommit", PREPARE_COMMIT) if is_commit else ("CompleteAbort", "PrepareAbort")
        goes_on = not before and state in ("Empty", ONGOING)  # what came between was not told
        if state not in fits and not goes_on:
            decided = "commit" if is_commit else "abort"
            self.TX2.violated(
                f"it was decided to {decided} a transaction of producer {known.producer_id}, which is {state} now",
                entry,
                known.event,
                scope=self._home(name),
            )

    def _check_complete(self, entry: Entry, name: str, known: Word) -> None:
        """TX3. What was deleted with its topic needs no marker."""
        for topic, partition in sorted(known.partitions or ()):
            where = TopicPartition(topic, partition)
            self.TX3.checks += 1
            key = where, known.producer_id, known.producer_epoch, known.state == PREPARE_COMMIT
            offset = min(self._marked.get(key, ()), default=END)
            if offset >= self.ghost.partition(*where).true_high_watermark:
                lacks = "has no marker of it" if offset == END else f"has not committed its marker at {offset}"
                self.TX3.violated(
                    f"a coordinator calls a transaction of producer {known.producer_id} complete, and {where} {lacks}",
                    entry,
                    known.event,
                    record=str(where),
                    scope=self._excusable(where, name),
                )

    @after
    def _on_marker(self, entry: Entry, event: ev.MarkerWritten) -> None:
        where = TopicPartition(event.topic, event.partition)
        key = where, event.producer_id, event.producer_epoch, event.committed
        self._marked.setdefault(key, set()).add(event.offset)
        name = self._ids.get(event.producer_id)
        word = None if name is None else self._words.get(name)
        self.TX2.checks += 1
        if name is None or word is None:
            self.TX2.violated(
                f"{where} has a marker of producer {event.producer_id}, which no coordinator knows",
                entry,
                at=f"offset {event.offset}",
            )
            return
        word.marked.add((event.topic, event.partition))
        if word.producer_id != event.producer_id or word.producer_epoch != event.producer_epoch:
            return  # one that comes late, of a coordinator that is none any more
        leadership = self.ghost.here.newest
        if leadership is not None and leadership.node != entry.node:
            return  # in the log of a leader that is none any more, either: it is cut away, and nobody reads it
        is_decided = word.state in PREPARED or word.state in COMPLETE
        if not is_decided or word.state.endswith("Commit") != event.committed:
            self.TX2.violated(
                f"{where} has a marker to {'commit' if event.committed else 'abort'} a transaction of producer "
                f"{event.producer_id}; its coordinator says {word.state}",
                entry,
                word.event,
                record=f"{where} offset {event.offset}",
                scope=self._excusable(where, name),
            )

    @after
    def _on_marker_again(self, _entry: Entry, event: ev.MarkerRefused) -> None:
        word = self._words.get(self._ids.get(event.producer_id, ""))
        if event.error == 0 and word is not None:
            word.marked.add((event.topic, event.partition))

    @before
    def _on_append(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """TX4, as the log stands before."""
        if event.role != "leader" or not event.transactional:
            return
        where = TopicPartition(event.topic, event.partition)
        newest = self.ghost.here.transactions.of(entry.node).newest
        for base, producer_id, epoch, what in event.transactional:
            last = newest.get(producer_id)
            if what != DATA or last is None or last.base_offset >= base:
                continue
            self.TX4.checks += 1
            if epoch < last.epoch:
                self.TX4.violated(
                    f"producer {producer_id} writes to {where} in epoch {epoch}; its epoch there was {last.epoch}",
                    entry,
                    last.event,
                    at=f"offset {base}",
                )

    @after
    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """TX5, as far as the append itself shows it."""
        if event.role != "leader" or not event.transactional:
            return
        where = TopicPartition(event.topic, event.partition)
        transactions = self.ghost.here.transactions.of(entry.node)
        suspects = self._begun.setdefault((entry.node, where), [])
        suspects[:] = [each for each in suspects if each[0].base_offset < event.base_offset]
        for piece in transactions.within(event.base_offset, event.end_offset):
            if piece.what != DATA or piece.span is None or piece.span.first_offset != piece.base_offset:
                continue
            self.TX5.checks += 1
            why = self._why_not(piece, where)
            if why:
                suspects.append((piece, why))

    def _why_not(self, piece: Piece, where: TopicPartition) -> str:
        """Why its coordinator will send no marker for this batch; empty when it will."""
        word = self._words.get(self._ids.get(piece.producer_id, ""))
        if word is None:
            return "no coordinator knows this producer"
        if word.producer_id == piece.producer_id and word.partitions is None:
            return ""
        if word.producer_id != piece.producer_id or word.state not in (ONGOING, *PREPARED):
            return f"its coordinator has no transaction of it, but {word.state}"
        if tuple(where) not in (word.partitions or ()):
            return "its coordinator does not count the partition in"
        if tuple(where) in word.marked:
            return "the marker of its transaction is written there already"
        if word.data_epoch is not None and piece.epoch != word.data_epoch:
            return f"it is of epoch {piece.epoch}, and the transaction is one of epoch {word.data_epoch}"
        return ""

    @after
    def _on_committed(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        """What a deposed leader wrote may vanish; what is committed stays."""
        if event.role != "leader" or not self._begun:
            return
        where = TopicPartition(event.topic, event.partition)
        suspects = self._begun.get((entry.node, where), [])
        pieces = self.ghost.here.transactions.of(entry.node)
        for piece, why in [each for each in suspects if each[0].base_offset < event.high_watermark]:
            suspects.remove((piece, why))
            if any(each.event == piece.event for each in pieces.within(piece.base_offset, piece.base_offset + 1)):
                self.TX5.violated(
                    f"a record of producer {piece.producer_id} begins a transaction in {where} at offset "
                    f"{piece.base_offset}; {why}",
                    entry,
                    piece.event,
                    record=f"{where} offset {piece.base_offset}",
                    scope=self._excusable(where, self._ids.get(piece.producer_id, "")),
                )
