"""All transactions of one broker behind one door: routes inputs, decides nothing itself.

Source: Kafka TransactionCoordinator.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from msgspec.structs import asdict

from cluster.coordination import writing
from cluster.coordination.coordinator import NAME_BYTES_MAX, Coordinator
from cluster.coordination.led_partition import Asker, LedPartition
from cluster.model import messages as core
from cluster.model.effects import Effect, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import FIRST_TRANSACTION_CORRELATION, TRANSACTIONS_TOPIC, NodeId
from cluster.model.inputs import Disconnected, Received, TimerFired
from cluster.model.messages import Message
from cluster.model.settings import Settings
from cluster.transactions import changing, ending, init_producer_id, loading, marking, overview, partitions
from cluster.transactions.loading import Loading
from cluster.transactions.marking import Cluster
from cluster.transactions.state import Kept, Shard, Shared

ABORT_TIMER, EXPIRE_TIMER = "transactions.abort", "transactions.expire"
OfTransaction: TypeAlias = (
    core.InitProducerIdRequest | core.AddPartitionsToTxnRequest | core.AddOffsetsToTxnRequest | core.EndTxnRequest
)
AboutTransactions: TypeAlias = OfTransaction | core.DescribeTransactionsRequest | core.ListTransactionsRequest


class TransactionCoordinator(Coordinator[Shard, Loading]):
    """Coordinates the transactions of those partitions of __transaction_state that this broker leads."""

    __slots__ = ("_cluster", "_shared")
    prefix = "transactions."

    def __init__(self, broker_id: NodeId, settings: Settings, cluster: Cluster) -> None:
        super().__init__()
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

    def kept(self, transactional_id: str) -> Kept | None:
        """For looking only."""
        shard, _ = self._find(transactional_id)
        return None if shard is None else shard.kept.get(transactional_id)

    def _begin(self, led: LedPartition) -> tuple[Shard, Loading]:
        return Shard(**asdict(led)), Loading()

    def _read_on(self, shard: Shard, read: Loading) -> list[Effect]:
        return loading.read_on(shard, read)

    def _serve(self, shard: Shard, read: Loading, now_ms: int) -> list[Effect]:
        return loading.finish(self._shared, shard, read, self._cluster, now_ms)

    def _give_up(self, shard: Shard, now_ms: int) -> list[Effect]:
        return loading.resign(self._shared, shard, now_ms)

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
            case core.ProduceResponse():
                return writing.on_response(self._shared, asker.correlation, message, now_ms)
            case core.InitProducerIdResponse():
                return changing.on_id(self._shared, asker.correlation, message, now_ms)
            case core.WriteTxnMarkersResponse():
                return self._on_marker(asker.correlation, message, now_ms)
            case core.ListTransactionsRequest():
                return [Send(asker.sender, overview.listed(self._shards, message, now_ms), asker.correlation)]
            case core.DescribeTransactionsRequest(transactional_ids=names):
                response = overview.described([(name, *self._find(name)) for name in names], now_ms)
                return [Send(asker.sender, response, asker.correlation)]
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
            case core.InitProducerIdRequest():
                return init_producer_id.on_init(shared, shard, asker, message, self._cluster, now_ms)
            case core.AddPartitionsToTxnRequest():
                return partitions.on_add(shared, shard, asker, message, self._cluster, now_ms)
            case core.AddOffsetsToTxnRequest(group=group):
                where = self._cluster.offsets_partition(group)
                if where is None:
                    refused = core.AddOffsetsToTxnResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
                    return [Send(asker.sender, refused, asker.correlation)]
                return partitions.on_add_offsets(shared, shard, asker, message, where, now_ms)
            case core.EndTxnRequest():
                return ending.on_end(shared, shard, asker, message, self._cluster, now_ms)
            case _:
                assert_never(message)

    def _find(self, name: str) -> tuple[Shard | None, ErrorCode]:
        """The shard that serves a transactional id, or why there is none here."""
        if not name or len(name.encode("utf-8", "replace")) > NAME_BYTES_MAX:
            return None, ErrorCode.INVALID_REQUEST
        return self._shard_of(name)

    def _on_marker(self, correlation: int, response: core.WriteTxnMarkersResponse, now_ms: int) -> list[Effect]:
        name, _ = self._shared.markers.pop(correlation, ("", None))
        shard, _ = self._find(name)
        kept = None if shard is None else shard.kept.get(name)
        if shard is None or kept is None:
            return []
        return marking.on_answer(self._shared, shard, kept, correlation, response, now_ms)

    def _on_timer(self, name: str, now_ms: int) -> list[Effect]:
        shared, (kind, _, number) = self._shared, name.removeprefix(self.prefix).partition(".")
        loaded = [shard for _, shard in sorted(self._shards.items()) if shard.is_loaded]
        match kind:
            case "write":
                return writing.on_timeout(shared, name, now_ms)
            case "load":
                return self._go_on_reading(int(number), now_ms)
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


def not_here(message: AboutTransactions, error: ErrorCode) -> Message:
    """The answer of a broker that does not coordinate the transactional id now."""
    match message:
        case core.InitProducerIdRequest():
            return core.InitProducerIdResponse(error=error)
        case core.AddPartitionsToTxnRequest():
            return core.AddPartitionsToTxnResponse(partitions=tuple((*each, int(error)) for each in message.partitions))
        case core.AddOffsetsToTxnRequest():
            return core.AddOffsetsToTxnResponse(error=error)
        case core.EndTxnRequest():
            return core.EndTxnResponse(error=error)
        case core.ListTransactionsRequest():
            return core.ListTransactionsResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        case core.DescribeTransactionsRequest(transactional_ids=names):
            rows = tuple((int(error), name, "", 0, -1, -1, -1, ()) for name in names)
            return core.DescribeTransactionsResponse(transactions=rows)
        case _:
            assert_never(message)
