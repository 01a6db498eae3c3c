"""Three whole brokers beside three controllers, and a producer with a transactional id that speaks to them itself."""

from __future__ import annotations

from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import TransactionStateChanged
from cluster.model.identifiers import NodeId, Offset
from cluster.model.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    EndTxnRequest,
    EndTxnResponse,
    FetchRequest,
    FetchResponse,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    InitProducerIdResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    ProduceRequest,
    ProduceResponse,
    TxnOffsetCommitRequest,
)
from cluster.model.record_batch import Record, batches, decode_records, encode_batch
from tests.support.kinds import as_kind
from tests.support.worlds.replica_world import BROKERS, ReplicaWorld

TRY_AGAIN = (
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.NOT_ENOUGH_REPLICAS,
)


class TransactionWorld(ReplicaWorld):
    """The topic `orders` with one partition, led by broker 1."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"transaction_state_partitions": 1, "offsets_topic_partitions": 1, **settings})

    def asked(self, node: NodeId, message: Any) -> Any:
        """The answer of a node to a client."""
        return self.answer_of(self.send_as_client(node, message))

    def coordinator(self, key: str = "t", *, of_transaction: bool = True) -> NodeId:
        """Who coordinates it, asked until somebody does."""
        request = FindCoordinatorRequest(group=key, of_transaction=of_transaction)
        while True:
            found = self.asked(next(node for node in BROKERS if node in self.nodes), request)
            if found.error == ErrorCode.NONE:
                return int(found.coordinator)
            self.wait(100)

    def patiently(self, message: Any, key: str = "t") -> Any:
        """The answer of the coordinator, asked again as a client does."""
        while True:
            answer = self.asked(self.coordinator(key), message)
            if answer.error not in TRY_AGAIN:
                return answer
            self.wait(100)

    def states(self) -> list[str]:
        """Through which the transactional id went."""
        return [event.state for event in self.named(TransactionStateChanged)]

    def read(self, node: NodeId = 1, *, committed: bool = True, offset: Offset = 0) -> FetchResponse:
        """What a consumer is given."""
        request = FetchRequest(
            replica_id=-1, topic="orders", partition=0, fetch_offset=offset, max_wait_ms=0, read_committed=committed
        )
        return as_kind(FetchResponse, self.asked(node, request))

    def seen(self, node: NodeId = 1) -> list[str]:
        """What a consumer of committed records hands on: it leaves out what it is told was aborted."""
        answer = self.read(node)
        coming = sorted(answer.aborted, key=lambda each: each[1])
        aborted: set[int] = set()
        values: list[str] = []
        for header, batch in batches(answer.records):
            while coming and coming[0][1] <= header.base_offset:
                aborted.add(coming.pop(0)[0])
            if header.control:
                aborted.discard(header.producer_id)
            elif header.producer_id not in aborted:
                values += [(record.value or b"").decode() for record in decode_records(batch)]
        return values


class TransactionalProducer:
    """One life of a producer; version 2 adds partitions by producing and takes its next epoch from each end."""

    def __init__(self, world: TransactionWorld, name: str = "t", *, version: int = 2, timeout_ms: int = 60_000) -> None:
        self.world, self.name, self.version = world, name, version
        self.sequence = 0
        world.coordinator(name)
        begun = world.patiently(
            InitProducerIdRequest(client_id="p", transactional_id=name, transaction_timeout_ms=timeout_ms), name
        )
        assert begun.error == ErrorCode.NONE, begun
        answer = as_kind(InitProducerIdResponse, begun)
        self.producer_id, self.epoch = answer.producer_id, answer.producer_epoch

    def add(self) -> Any:
        """Version 1: the partition is part of the transaction."""
        return self.world.patiently(
            AddPartitionsToTxnRequest(
                transactional_id=self.name,
                producer_id=self.producer_id,
                producer_epoch=self.epoch,
                partitions=(("orders", 0),),
            ),
            self.name,
        )

    def write(self, value: str, node: NodeId = 1, *, sequence: int | None = None) -> ProduceResponse:
        """One record, in the transaction."""
        number = self.sequence if sequence is None else sequence
        request = ProduceRequest(
            client_id="p",
            topic="orders",
            partition=0,
            acks=-1,
            timeout_ms=800,
            records=encode_batch(
                [Record(None, value.encode())], transactional=True, sequenced=(self.producer_id, self.epoch, number)
            ),
            transactional_id=self.name,
            adds_partition=self.version >= 2,
        )
        while True:
            answer = as_kind(ProduceResponse, self.world.asked(node, request))
            if answer.error not in TRY_AGAIN:
                break
            self.world.wait(100)
        if answer.error == ErrorCode.NONE:
            self.sequence = number + 1
        return answer

    def end(self, *, committed: bool = True) -> EndTxnResponse:
        """Commit or abort, and go on with what the coordinator says."""
        request = EndTxnRequest(
            transactional_id=self.name,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            committed=committed,
            bumps_epoch=self.version >= 2,
        )
        answer = as_kind(EndTxnResponse, self.world.patiently(request, self.name))
        if answer.error == ErrorCode.NONE and answer.producer_epoch >= 0:
            self.producer_id, self.epoch, self.sequence = answer.producer_id, answer.producer_epoch, 0
        return answer

    def commit_offset(self, group: str, offset: Offset) -> Any:
        """An offset of a group counts with the transaction."""
        world = self.world
        home = world.coordinator(group, of_transaction=False)
        if self.version < 2:
            world.patiently(
                AddOffsetsToTxnRequest(
                    transactional_id=self.name,
                    producer_id=self.producer_id,
                    producer_epoch=self.epoch,
                    group=group,
                ),
                self.name,
            )
        request = TxnOffsetCommitRequest(
            group=group,
            transactional_id=self.name,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            offsets=(("orders", 0, offset, -1, ""),),
            adds_partition=self.version >= 2,
        )
        while True:
            answer = world.asked(home, request)
            if answer.error not in TRY_AGAIN:
                return answer
            world.wait(100)

    def offset_of(self, group: str, *, stable: bool = False) -> OffsetFetchResponse:
        """What the group's coordinator tells."""
        home = self.world.coordinator(group, of_transaction=False)
        request = OffsetFetchRequest(group=group, partitions=(("orders", 0),), require_stable=stable)
        return as_kind(OffsetFetchResponse, self.world.asked(home, request))
