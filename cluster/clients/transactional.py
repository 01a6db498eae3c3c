"""A producer that writes in transactions: which requests each step needs, and what becomes of it.

Source: Kafka TransactionManager, KIP-98; version 2 is KIP-890.
"""

from __future__ import annotations

from msgspec import Struct, field

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    Message,
    ProduceRequest,
)
from cluster.model.record_batch import Record, encode_batch

COORDINATOR = -1
"""Stands for a partition where a request goes to the coordinator."""
BEGIN, PRODUCE, COMMIT, ABORT, ARRIVE = "txn_begin", "txn_produce", "txn_commit", "txn_abort", "txn_arrive"
STEPS = (BEGIN, PRODUCE, COMMIT, ABORT, ARRIVE)
FENCED = (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_ID_MAPPING)


class Ask(Struct, frozen=True):
    """One request of a step."""

    function: str
    """As its events tell it."""
    request: Message
    partition: int = COORDINATOR
    text: str = ""
    """What the events say of it."""
    count: int = 0
    """Records in it."""


class Transactional(Struct, kw_only=True):
    """One producer, over all its steps."""

    client_id: str
    transactional_id: str
    version: int = 2
    timeout_ms: int = 60_000
    operation_count: int = 0
    """So that no two operations of it have one number."""
    producer_id: int = -1
    producer_epoch: int = -1
    is_open: bool = False
    is_fenced: bool = False
    """Another producer has the transactional id: this one is at its end."""
    must_abort: bool = False
    """A record was not acknowledged, so that it cannot commit."""
    must_bump: bool = False
    """It asks for another epoch before it goes on: of an older batch it does not know what became of it (KIP-360)."""
    has_begun: bool = False
    """The coordinator may know of the transaction."""
    added: set[TopicPartition] = field(default_factory=set)
    """Version 1: partitions that are part of it."""
    next_sequences: dict[TopicPartition, int] = field(default_factory=dict)
    late: list[ProduceRequest] = field(default_factory=list)
    """On their way, and given up."""

    def refusal(self, step: str) -> str:
        """Why this step makes no sense now, in one clause; empty when it does."""
        if step == ARRIVE:
            return "" if self.late else f"no request of {self.client_id} is late"
        if self.is_fenced:
            return f"{self.client_id} is fenced: another producer has transactional id {self.transactional_id}"
        if step == BEGIN:
            return f"{self.client_id} has a transaction open; commit or abort it first" if self.is_open else ""
        if not self.is_open:
            return f"{self.client_id} has no open transaction; txn begin {self.client_id} comes first"
        if self.must_abort and step != ABORT:
            return f"{self.client_id} can only abort: a record of its transaction was not acknowledged"
        return ""

    def next(self, step: str, where: TopicPartition, texts: list[str], timeout_ms: int) -> Ask | None:
        """What a step asks next; None when it needs nothing more."""
        if step == BEGIN and (self.producer_id < 0 or self.must_bump):
            return self._init()
        if step == PRODUCE and self.version < 2 and where not in self.added:
            request = AddPartitionsToTxnRequest(
                transactional_id=self.transactional_id,
                producer_id=self.producer_id,
                producer_epoch=self.producer_epoch,
                partitions=((where.topic, where.partition),),
            )
            return Ask("add_partitions", request, text=str(where))
        if step == PRODUCE and texts:
            return self._produce(where, texts, timeout_ms)
        if step in (COMMIT, ABORT) and self.has_begun:
            end = EndTxnRequest(
                transactional_id=self.transactional_id,
                producer_id=self.producer_id,
                producer_epoch=self.producer_epoch,
                committed=step == COMMIT,
                bumps_epoch=self.version >= 2,
            )
            return Ask("end_txn", end, text=step.removeprefix("txn_"))
        return None

    def _init(self) -> Ask:
        is_new = self.producer_id < 0
        request = InitProducerIdRequest(
            client_id=self.client_id,
            transactional_id=self.transactional_id,
            producer_id=-1 if is_new else self.producer_id,
            producer_epoch=-1 if is_new else self.producer_epoch,
            transaction_timeout_ms=self.timeout_ms,
        )
        return Ask("init_producer_id", request, text=f"transactional id {self.transactional_id}")

    def _produce(self, where: TopicPartition, texts: list[str], timeout_ms: int) -> Ask:
        sequence = self.next_sequences.get(where, 0)
        self.next_sequences[where] = sequence + len(texts)
        self.has_begun = True
        records = [Record(self.client_id.encode(), text.encode()) for text in texts]
        request = ProduceRequest(
            client_id=self.client_id,
            topic=where.topic,
            partition=where.partition,
            acks=-1,
            timeout_ms=timeout_ms,
            records=encode_batch(
                records, transactional=True, sequenced=(self.producer_id, self.producer_epoch, sequence)
            ),
            transactional_id=self.transactional_id,
            adds_partition=self.version >= 2,
        )
        shown = texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"
        return Ask("produce", request, where.partition, shown, len(texts))

    def done(self, step: str, response: Message, where: TopicPartition) -> None:
        """Take an answer without an error."""
        match response:
            case InitProducerIdResponse(producer_id=producer_id, producer_epoch=producer_epoch):
                self._go_on(producer_id, producer_epoch)
            case AddPartitionsToTxnResponse():
                self.added.add(where)
                self.has_begun = True
            case EndTxnResponse(producer_id=producer_id, producer_epoch=producer_epoch):
                if producer_epoch >= 0:
                    self._go_on(producer_id, producer_epoch)
                self._close()
            case _:
                pass

    def ended(self, step: str) -> None:
        """A step has all its answers."""
        if step == BEGIN:
            self.is_open = self.producer_id >= 0 and not self.is_fenced and not self.must_bump
        elif step in (COMMIT, ABORT) and not self.has_begun:
            self._close()

    def failed(self, function: str, error: int) -> None:
        """A request of it will not be tried again."""
        if error in FENCED or (error == ErrorCode.INVALID_PRODUCER_EPOCH and function == "end_txn"):
            self.is_fenced, self.is_open = True, False
        elif function in ("produce", "add_partitions"):
            self.must_abort = True
            self.must_bump = self.must_bump or self.version < 2

    def _go_on(self, producer_id: int, producer_epoch: int) -> None:
        self.producer_id, self.producer_epoch = producer_id, producer_epoch
        self.next_sequences, self.must_bump = {}, False

    def _close(self) -> None:
        self.is_open = self.must_abort = self.has_begun = False
        self.added.clear()


def error_of(response: Message) -> int:
    """Of an answer; of one about partitions the first that is not 0."""
    error = int(getattr(response, "error", 0))
    if not error and isinstance(response, AddPartitionsToTxnResponse):
        error = next((each[2] for each in response.partitions if each[2]), 0)
    return error
