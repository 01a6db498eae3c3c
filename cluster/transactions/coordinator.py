"""All transactions of one broker behind one door: routes inputs, decides nothing itself.

Source: Kafka TransactionCoordinator.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from cluster.coordination import reading, writing
from cluster.coordination.led_partition import Asker, CoordinatorReplica
from cluster.model.effects import Effect, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import FIRST_TRANSACTION_CORRELATION, TRANSACTIONS_TOPIC, Epoch, NodeId
from cluster.model.inputs import Disconnected, Received, TimerFired
from cluster.model.messages import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ListTransactionsRequest,
    ListTransactionsResponse,
    Message,
    ProduceResponse,
    WriteTxnMarkersResponse,
)
from cluster.model.offsets_topic import partition_for
from cluster.model.settings import Settings
from cluster.transactions import changing, ending, init_producer_id, loading, marking, overview, partitions
from cluster.transactions.loading import Loading
from cluster.transactions.marking import Cluster
from cluster.transactions.state import Kept, Shard, Shared

PREFIX = "transactions."
ABORT_TIMER, EXPIRE_TIMER = "transactions.abort", "transactions.expire"
ID_BYTES_MAX = 32_767
"""What a record of __transaction_state can hold."""
OfTransaction: TypeAlias = InitProducerIdRequest | AddPartitionsToTxnRequest | AddOffsetsToTxnRequest | EndTxnRequest
AboutTransactions: TypeAlias = OfTransaction | DescribeTransactionsRequest | ListTransactionsRequest


class TransactionCoordinator:
    """Coordinates the transactions of those partitions of __transaction_state that this broker leads."""

    __slots__ = ("_cluster", "_loading", "_shards", "_shared", "partition_count")

    def __init__(self, broker_id: NodeId, settings: Settings, cluster: Cluster) -> None:
        self._cluster = cluster
        self._shared = Shared(
            broker_id=broker_id,
            settings=settings,
            topic=TRANSACTIONS_TOPIC,
            prefix="transactions",
            client_id="transaction-coordinator",
            patience_ms=settings.request_timeout_ms,
            counter=FIRST_TRANSACTION_CORRELATION,
        )
        self._shards: dict[int, Shard] = {}
        self._loading: dict[int, Loading] = {}
        self.partition_count = 0
        """Of __transaction_state; 0 while the topic does not exist."""

    @property
    def is_loading(self) -> bool:
        """Whether a partition waits to be read or committed."""
        return bool(self._loading)

    def kept(self, transactional_id: str) -> Kept | None:
        """For looking only."""
        shard, _ = self._find(transactional_id)
        return None if shard is None else shard.kept.get(transactional_id)

    def lead(self, partition: int, leader_epoch: Epoch, replica: CoordinatorReplica, now_ms: int) -> list[Effect]:
        """This broker leads a partition in a new epoch: read it, from the next step on."""
        effects = self.resign(partition, now_ms)
        if not self._shards:
            effects += self._set_timers()
        shard = Shard(
            partition=partition,
            leader_epoch=leader_epoch,
            replica=replica,
            next_offset=replica.log.log_start_offset,
            load_timer=f"{PREFIX}load.{partition}",
        )
        self._shards[partition], self._loading[partition] = shard, Loading()
        return [*effects, SetTimer(shard.load_timer, reading.PAUSE_MS)]

    def resign(self, partition: int, now_ms: int) -> list[Effect]:
        """This broker leads it no more, or in another epoch."""
        shard = self._shards.pop(partition, None)
        self._loading.pop(partition, None)
        return [] if shard is None else loading.resign(self._shared, shard, now_ms)

    def look(self, now_ms: int) -> list[Effect]:
        """The high watermark may have moved: serve what is read and committed."""
        effects: list[Effect] = []
        for partition, read in list(self._loading.items()):
            shard = self._shards[partition]
            if read.is_read and shard.replica.high_watermark >= shard.next_offset:
                del self._loading[partition]
                effects += loading.finish(self._shared, shard, read, self._cluster, now_ms)
        return effects

    def handle(self, happened: Received | TimerFired | Disconnected, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        match happened:
            case Received(sender=sender, correlation=correlation, message=message):
                return self._on_message(Asker(sender, correlation), message, now_ms)
            case TimerFired(name=name):
                return self._on_timer(name, now_ms)
            case Disconnected(peer=peer):
                kept = [each for _, shard in sorted(self._shards.items()) for each in shard.kept.values()]
                return [effect for each in kept for effect in marking.on_disconnected(self._shared, each, peer)]
            case _:
                assert_never(happened)

    def _on_message(self, asker: Asker, message: object, now_ms: int) -> list[Effect]:
        match message:
            case ProduceResponse():
                return writing.on_response(self._shared, asker.correlation, message, now_ms)
            case InitProducerIdResponse():
                return changing.on_id(self._shared, asker.correlation, message, now_ms)
            case WriteTxnMarkersResponse():
                return self._on_marker(asker.correlation, message, now_ms)
            case ListTransactionsRequest():
                return [Send(asker.sender, overview.listed(self._shards, message, now_ms), asker.correlation)]
            case DescribeTransactionsRequest(transactional_ids=names):
                told = overview.described([(name, *self._find(name)) for name in names], now_ms)
                return [Send(asker.sender, told, asker.correlation)]
            case _ if isinstance(message, OfTransaction):
                return self._on_request(asker, message, now_ms)
            case _:
                return []

    def _on_request(self, asker: Asker, message: OfTransaction, now_ms: int) -> list[Effect]:
        shard, error = self._find(message.transactional_id or "")
        if shard is None:
            return [Send(asker.sender, not_here(message, error), asker.correlation)]
        shared = self._shared
        match message:
            case InitProducerIdRequest():
                return init_producer_id.on_init(shared, shard, asker, message, self._cluster, now_ms)
            case AddPartitionsToTxnRequest():
                return partitions.on_add(shared, shard, asker, message, now_ms)
            case AddOffsetsToTxnRequest(group=group):
                where = self._cluster.offsets_partition(group)
                if where is None:
                    refused = AddOffsetsToTxnResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
                    return [Send(asker.sender, refused, asker.correlation)]
                return partitions.on_add_offsets(shared, shard, asker, message, where, now_ms)
            case EndTxnRequest():
                return ending.on_end(shared, shard, asker, message, self._cluster, now_ms)
            case _:
                assert_never(message)

    def _find(self, name: str) -> tuple[Shard | None, ErrorCode]:
        """The shard that serves a transactional id, or why there is none here."""
        if not name or len(name.encode("utf-8", "replace")) > ID_BYTES_MAX:
            return None, ErrorCode.INVALID_REQUEST
        if not self.partition_count:
            return None, ErrorCode.NOT_COORDINATOR
        shard = self._shards.get(partition_for(name, self.partition_count))
        if shard is None:
            return None, ErrorCode.NOT_COORDINATOR
        return (shard, ErrorCode.NONE) if shard.is_loaded else (None, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    def _on_marker(self, correlation: int, response: WriteTxnMarkersResponse, now_ms: int) -> list[Effect]:
        name, _ = self._shared.markers.pop(correlation, ("", None))
        shard, _ = self._find(name)
        kept = None if shard is None else shard.kept.get(name)
        if shard is None or kept is None:
            return []
        return marking.on_answer(self._shared, shard, kept, correlation, response, now_ms)

    def _on_timer(self, name: str, now_ms: int) -> list[Effect]:
        shared, (kind, _, number) = self._shared, name.removeprefix(PREFIX).partition(".")
        loaded = [shard for _, shard in sorted(self._shards.items()) if shard.is_loaded]
        match kind:
            case "write":
                return writing.on_timeout(shared, name, now_ms)
            case "load":
                return self._read_on(int(number), now_ms)
            case "abort":
                late = [item for each in loaded for item in ending.abort_late(shared, each, self._cluster, now_ms)]
                return [*late, *self._set_timers(name)]
            case "expire":
                unused = [item for each in loaded for item in ending.forget_unused(shared, each, now_ms)]
                return [*unused, *self._set_timers(name)]
            case "markers":
                transactional_id = shared.timers.get(name, "")
                shard, _ = self._find(transactional_id)
                kept = None if shard is None else shard.kept.get(transactional_id)
                if shard is None or kept is None:
                    return []
                return marking.on_timer(shared, shard, kept, self._cluster, now_ms)
            case _:
                return []

    def _set_timers(self, only: str = "") -> list[Effect]:
        """Look again for what is out of its time, as long as there is something to coordinate."""
        settings = self._shared.settings
        timers = {
            ABORT_TIMER: settings.transaction_abort_interval_ms,
            EXPIRE_TIMER: settings.transactional_id_cleanup_interval_ms,
        }
        if only and not self._shards:
            return []
        return [SetTimer(name, after_ms) for name, after_ms in timers.items() if only in ("", name)]

    def _read_on(self, partition: int, now_ms: int) -> list[Effect]:
        read = self._loading.get(partition)
        if read is None:
            return []
        return [*loading.read_on(self._shards[partition], read), *self.look(now_ms)]


def not_here(message: AboutTransactions, error: ErrorCode) -> Message:
    """The answer of a broker that does not coordinate the transactional id now."""
    match message:
        case InitProducerIdRequest():
            return InitProducerIdResponse(error=error)
        case AddPartitionsToTxnRequest():
            return AddPartitionsToTxnResponse(partitions=tuple((*each, int(error)) for each in message.partitions))
        case AddOffsetsToTxnRequest():
            return AddOffsetsToTxnResponse(error=error)
        case EndTxnRequest():
            return EndTxnResponse(error=error)
        case ListTransactionsRequest():
            return ListTransactionsResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        case DescribeTransactionsRequest(transactional_ids=names):
            told = tuple((int(error), name, "", 0, -1, -1, -1, ()) for name in names)
            return DescribeTransactionsResponse(transactions=told)
        case _:
            assert_never(message)
