"""Before a transaction begins in a partition, its leader asks the coordinator whether the partition is part of it.

Source: KIP-890; Kafka AddPartitionsToTxnManager, ReplicaManager.maybeSendPartitionsToTransactionCoordinator.
"""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionVerified
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.messages import AddPartitionsToTxnRequest, AddPartitionsToTxnResponse, ProduceRequest
from cluster.model.record_batch import BatchHeader, CorruptBatchError, sequence_of
from cluster.replication import appending, idempotence
from cluster.replication.rules.acknowledgement import may_append
from cluster.replication.rules.transactions import must_verify
from cluster.replication.state import LEADS, NOT_ASKED, HeldProduce, ReplicaState, Verifying

VERIFY_TIMER = "verify"
"""When a coordinator has been silent for too long."""
RETRY_TIMER = "verify_again"
RETRY_MS = 20
"""add.partitions.to.txn.retry.backoff.ms."""
_TRY_AGAIN = (
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.UNKNOWN_SERVER_ERROR,
)
_AS_IT_IS = (
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    ErrorCode.TRANSACTION_ABORTABLE,
    ErrorCode.INVALID_TXN_STATE,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)


def hold(
    state: ReplicaState, sender: NodeId, correlation: int, request: ProduceRequest, header: BatchHeader
) -> list[Effect] | None:
    """Keep a batch until the coordinator has said that it may begin a transaction; None when nobody need be asked."""
    name = request.transactional_id
    if name is None or not header.transactional:
        return None
    try:
        state.producers.catch_up(state.log)
    except CorruptBatchError:
        return None  # refused where its sequence is looked at
    epoch, _ = sequence_of(request.records)
    held = HeldProduce(sender, correlation, request, header)
    producer = state.producers.entry(header.producer_id)
    if producer is not None and epoch < producer.epoch:
        return None  # refused without asking anybody
    asked = state.verifying.get((header.producer_id, epoch))
    if asked is not None:
        asked.held.append(held)
        return []
    ruling = must_verify(
        _open_from(state, header.producer_id, epoch),
        adds_partition=request.adds_partition,
        verification=state.settings.transaction_verification,
    )
    if not ruling.granted:
        return None
    state.verifying[header.producer_id, epoch] = Verifying(NOT_ASKED, NO_NODE, [held], ruling.decision)
    guard = SetTimer(state.timer(VERIFY_TIMER), state.settings.request_timeout_ms)
    return [*ask(state), guard]


def _open_from(state: ReplicaState, producer_id: int, epoch: int) -> Offset:
    """Where the producer's transaction of this epoch begins here; -1 for none."""
    producer = state.producers.entry(producer_id)
    is_same = producer is not None and producer.epoch == epoch
    return state.producers.transactions.open_from(producer_id) if is_same else UNKNOWN_OFFSET


def ask(state: ReplicaState) -> list[Effect]:
    """Put the questions that are to be put, for the first time or again."""
    effects: list[Effect] = []
    for key, asked in list(state.verifying.items()):
        if asked.correlation != NOT_ASKED:
            continue
        first = asked.held[0].request
        name = first.transactional_id or ""
        asked.coordinator = state.shared.coordinator_of(name)
        if asked.coordinator == NO_NODE:
            effects += refuse_all(state, state.verifying.pop(key), ErrorCode.NOT_ENOUGH_REPLICAS)
            continue
        asked.correlation = state.shared.correlation(state.topic_partition)
        question = AddPartitionsToTxnRequest(
            transactional_id=name,
            producer_id=key[0],
            producer_epoch=key[1],
            partitions=((state.topic_partition.topic, state.topic_partition.partition),),
            verify_only=not first.adds_partition,
        )
        effects.append(Send(asked.coordinator, question, asked.correlation))
    return effects


def on_verified(
    state: ReplicaState, correlation: int, response: AddPartitionsToTxnResponse, now_ms: int
) -> list[Effect]:
    """The coordinator has spoken: append what waited, in its order, or refuse all of it.

    A partition that cannot be added yet is asked for again, until the guard of the first question ends it: another
    leader is adding one of its own. Source: Kafka AddPartitionsToTxnConfig, for adding and not for verifying.
    """
    key = next((key for key, asked in state.verifying.items() if asked.correlation == correlation), None)
    if key is None or state.role is not LEADS:
        return []
    error = ErrorCode(response.error or response.partitions[0][2])
    first = state.verifying[key].held[0].request
    if error == ErrorCode.CONCURRENT_TRANSACTIONS and first.adds_partition:
        state.verifying[key].correlation = NOT_ASKED
        return [SetTimer(state.timer(RETRY_TIMER), RETRY_MS)]
    asked = state.verifying.pop(key)
    topic, partition = state.topic_partition
    event = PartitionVerified(
        topic=topic,
        partition=partition,
        transactional_id=first.transactional_id or "",
        producer_id=key[0],
        producer_epoch=key[1],
        error=error,
        added=first.adds_partition,
    )
    effects: list[Effect] = [Emit(event, asked.decision)]
    if not state.verifying:
        effects.append(CancelTimer(state.timer(VERIFY_TIMER)))
    if error != ErrorCode.NONE:
        return [*effects, *refuse_all(state, asked, error_for_producer(error))]
    for held in asked.held:
        effects += _write(state, held, now_ms)
    return effects


def _write(state: ReplicaState, held: HeldProduce, now_ms: int) -> list[Effect]:
    """The ISR may have become too small while the batch waited. Source: Kafka Partition.appendRecordsToLeader."""
    ruling = may_append(held.request.acks, state.isr, state.min_insync_replicas)
    if not ruling.granted:
        error = ErrorCode.NOT_ENOUGH_REPLICAS
        return idempotence.refuse(state, held.sender, held.correlation, held.request, error, ruling.decision)
    return appending.write(state, held.sender, held.correlation, held.request, held.header, now_ms)


def error_for_producer(error: ErrorCode) -> ErrorCode:
    """What a producer is told of a coordinator's word. Source: Kafka ReplicaManager, AddPartitionsToTxnManager."""
    if error in _TRY_AGAIN:
        return ErrorCode.NOT_ENOUGH_REPLICAS
    if error == ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return error if error in _AS_IT_IS else ErrorCode.INVALID_TXN_STATE


def on_timeout(state: ReplicaState) -> list[Effect]:
    """The coordinator says nothing: whoever waits has to send its batches again."""
    asked, state.verifying = list(state.verifying.values()), {}
    return [effect for each in asked for effect in refuse_all(state, each, ErrorCode.NOT_ENOUGH_REPLICAS)]


def on_disconnected(state: ReplicaState, peer: NodeId) -> list[Effect]:
    """The question to this broker, or its answer, may be lost."""
    lost = [key for key, asked in state.verifying.items() if asked.coordinator == peer]
    return [
        effect for key in lost for effect in refuse_all(state, state.verifying.pop(key), ErrorCode.NOT_ENOUGH_REPLICAS)
    ]


def stop(state: ReplicaState) -> list[Effect]:
    """Leadership is over."""
    asked, state.verifying = list(state.verifying.values()), {}
    effects = [effect for each in asked for effect in refuse_all(state, each, ErrorCode.NOT_LEADER_OR_FOLLOWER)]
    return [*effects, CancelTimer(state.timer(VERIFY_TIMER))] if asked else effects


def refuse_late(state: ReplicaState, producer_id: int, producer_epoch: int, *, bumps_epoch: bool) -> list[Effect]:
    """A marker comes: what the coordinator has said of the transaction that it ends is not so any more.

    Args:
        bumps_epoch: the marker brings the epoch of the next transaction, whose first batch may wait here for the
            markers of this one.
    """
    late = [
        key for key in state.verifying
        if key[0] == producer_id and (key[1] < producer_epoch or (key[1] == producer_epoch and not bumps_epoch))
    ]  # fmt: skip
    return [
        effect for key in late for effect in refuse_all(state, state.verifying.pop(key), ErrorCode.INVALID_TXN_STATE)
    ]


def refuse_all(state: ReplicaState, asked: Verifying, error: ErrorCode) -> list[Effect]:
    effects: list[Effect] = []
    for held in asked.held:
        effects += idempotence.refuse(state, held.sender, held.correlation, held.request, error, None)
    return effects
