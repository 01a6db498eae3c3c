"""What a coordinator decides about transactions, as pure functions. Source: KIP-98, KIP-360, KIP-890."""

from __future__ import annotations

from enum import Enum, auto

from cluster.model.errors import ErrorCode
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no
from cluster.transactions.state import (
    AT_REST,
    ENDED,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    PREPARED,
    PRODUCER_EPOCH_MAX,
    Kept,
    Transaction,
    TransactionState,
)


class Init(Enum):
    """What InitProducerId brings about, when it is not refused."""

    BUMP = auto()
    """The same producer id with the next epoch."""
    NEW_ID = auto()
    """A new producer id with epoch 0: the epochs of this one are used up."""
    AGAIN = auto()
    """The answer of before: the producer did not hear it."""
    FENCE = auto()
    """An older producer's transaction is aborted first; who asks has to come again."""


class End(Enum):
    """What EndTxn brings about, when it is not refused."""

    DECIDE = auto()
    """It is written down; markers follow."""
    AGAIN = auto()
    """The answer of before: it has ended like that."""


@rule(source="KIP-98", kafka="TransactionStateManager.validateTransactionTimeoutMs")
def may_have_timeout(timeout_ms: int, max_ms: int) -> Ruling[ErrorCode]:
    """A transaction may be open for as long as the brokers allow, and for some time at all."""
    fits = 0 < timeout_ms <= max_ms
    numbers: Numbers = {"timeout_ms": timeout_ms, "most_ms": max_ms}
    reason = "the brokers allow this timeout" if fits else "the brokers do not allow this timeout"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.INVALID_TRANSACTION_TIMEOUT, reason, numbers)


@rule(source="KIP-98, KIP-360", kafka="TransactionCoordinator.prepareInitProducerIdTransit")
def init_producer(kept: Kept, producer_id: int, producer_epoch: int) -> Ruling[Init | ErrorCode]:
    """Who begins with a transactional id gets a larger epoch, and with that shuts out who had the id before.

    Args:
        producer_id: that the producer has and wants a new epoch for; -1 for a producer that has just started.
    """
    now = kept.now
    numbers: Numbers = {"producer_id": producer_id, "producer_epoch": producer_epoch}
    if (producer_id >= 0) != (producer_epoch >= 0):
        return Ruling(ErrorCode.INVALID_REQUEST, False, "it names an id without an epoch, or the other way", numbers)
    if kept.is_changing:
        numbers["is changing"] = int(kept.is_changing)
        return Ruling(ErrorCode.CONCURRENT_TRANSACTIONS, False, "another change is on its way to the replicas", numbers)
    if now is None:
        return Ruling(Init.NEW_ID, True, "nobody had this transactional id", numbers)
    numbers |= {"known_id": now.producer_id, "known_epoch": now.producer_epoch}
    has_id = producer_id != NO_PRODUCER_ID
    if has_id and not _is_known(now, producer_id, producer_epoch):
        return Ruling(ErrorCode.PRODUCER_FENCED, False, "another producer has this transactional id now", numbers)
    if now.state in PREPARED:
        return Ruling(ErrorCode.CONCURRENT_TRANSACTIONS, False, "the markers are still on their way", numbers)
    if now.state is TransactionState.ONGOING:
        # Who asks has to come again. If it had its epoch now it might write where the old transaction is still open.
        # The marker, which is of an older epoch, would be refused there, and what was to be aborted would be committed
        # with the new one.
        return Ruling(Init.FENCE, True, "a transaction is open: it is aborted first", numbers)
    if has_id and (producer_id, producer_epoch) != (now.producer_id, now.producer_epoch):
        return Ruling(Init.AGAIN, True, "the producer has not heard of its newer epoch", numbers)
    if now.producer_epoch >= PRODUCER_EPOCH_MAX:
        return Ruling(Init.NEW_ID, True, "the epochs of this producer id are used up", numbers)
    return Ruling(Init.BUMP, True, "the next epoch", numbers)


def _is_known(now: Transaction, producer_id: int, producer_epoch: int) -> bool:
    """Whether it is the producer of now, or of just before a change that it asked for."""
    is_newest = (producer_id, producer_epoch) == (now.producer_id, now.producer_epoch)
    return is_newest or _was_before(now, producer_id, producer_epoch)


def _was_before(now: Transaction, producer_id: int, producer_epoch: int) -> bool:
    """Whether a producer had this id and epoch before the newest change that it asked for itself.

    A change to epoch 0 brought a new id, and the epochs of the one before are used up.
    """
    of_id = now.producer_id if now.producer_epoch else now.previous_producer_id
    return now.last_epoch >= 0 and (producer_id, producer_epoch) == (of_id, now.last_epoch)


@rule(source="KIP-98", kafka="TransactionCoordinator.handleAddPartitionsToTransaction")
def may_add(kept: Kept | None, producer_id: int, producer_epoch: int) -> Ruling[ErrorCode]:
    """Partitions are added by the newest producer of the id, while no older transaction of it is being ended."""
    refused = _fenced_or_unknown(kept, producer_id, producer_epoch)
    if refused is not None:
        return refused
    assert kept is not None and kept.now is not None
    state = kept.now.state
    numbers: Numbers = {
        "state": str(state),
        "producer_epoch": producer_epoch,
        "is changing": int(kept.is_changing),
    }
    if kept.is_changing:
        return error_or_none(ErrorCode.CONCURRENT_TRANSACTIONS, "another change is on its way", numbers)
    if state in PREPARED:
        return error_or_none(ErrorCode.CONCURRENT_TRANSACTIONS, "the markers of the last one are on their way", numbers)
    return error_or_none(ErrorCode.NONE, "its producer may add partitions", numbers)


def _fenced_or_unknown(kept: Kept | None, producer_id: int, producer_epoch: int) -> Ruling[ErrorCode] | None:
    now = None if kept is None else kept.now
    if now is None or now.producer_id != producer_id:
        known_id = NO_PRODUCER_ID if now is None else now.producer_id
        numbers: Numbers = {"producer_id": producer_id, "known_id": known_id}
        return error_or_none(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "this id belongs to another producer", numbers)
    if now.producer_epoch != producer_epoch:
        numbers = {"producer_epoch": producer_epoch, "known_epoch": now.producer_epoch}
        return error_or_none(ErrorCode.PRODUCER_FENCED, "a newer producer has this transactional id", numbers)
    return None


@rule(source="KIP-890", kafka="TransactionCoordinator.handleVerifyPartitionsInTransaction")
def is_in_transaction(kept: Kept | None, producer_id: int, producer_epoch: int, *, is_part: bool) -> Ruling[ErrorCode]:
    """A leader may begin a transaction in its partition only when the coordinator counts the partition in.

    Else a late record of a transaction that has ended would begin one that nobody ever ends.
    """
    allowed = may_add(kept, producer_id, producer_epoch)
    if not allowed.granted:
        return error_or_none(allowed.value, allowed.reason, allowed.numbers)
    assert kept is not None and kept.now is not None
    is_open = kept.now.state is TransactionState.ONGOING and is_part
    numbers: Numbers = {
        "state": str(kept.now.state),
        "is_part": int(is_part),
        "producer_epoch": producer_epoch,
        "known_epoch": kept.now.producer_epoch,
    }
    reason = "the partition is part of the transaction" if is_open else "the partition is not part of the transaction"
    return error_or_none(ErrorCode.NONE if is_open else ErrorCode.TRANSACTION_ABORTABLE, reason, numbers)


@rule(source="KIP-98, KIP-890", kafka="TransactionCoordinator.endTransaction")
def end_transaction(
    kept: Kept | None, producer_id: int, producer_epoch: int, *, committed: bool, bumps_epoch: bool
) -> Ruling[End | ErrorCode]:
    """Its producer ends an open transaction. Who asks again gets the same answer, and never another end."""
    now = None if kept is None else kept.now
    is_again = bumps_epoch and now is not None and now.state in ENDED and _was_before(now, producer_id, producer_epoch)
    if not is_again:
        refused = _fenced_or_unknown(kept, producer_id, producer_epoch)
        if refused is not None:
            return Ruling(refused.value, False, refused.reason, refused.numbers)
    assert kept is not None and now is not None
    numbers: Numbers = {"state": str(now.state), "producer_epoch": producer_epoch, "known_epoch": now.producer_epoch}
    if bumps_epoch and not is_again and now.state in PREPARED:
        return Ruling(ErrorCode.PRODUCER_FENCED, False, "it ends the next one while the last one is ended", numbers)
    if kept.is_changing:
        numbers["is changing"] = int(kept.is_changing)
        return Ruling(ErrorCode.CONCURRENT_TRANSACTIONS, False, "another change is on its way", numbers)
    if now.state is TransactionState.ONGOING:
        return Ruling(End.DECIDE, True, "it is open", numbers)
    has_ended = TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT
    is_ending = TransactionState.PREPARE_COMMIT if committed else TransactionState.PREPARE_ABORT
    if bumps_epoch and not is_again and not committed and now.state in AT_REST:
        return Ruling(End.DECIDE, True, "what was not begun is aborted, and what comes late is shut out", numbers)
    if now.state is has_ended and (is_again or not bumps_epoch):
        return Ruling(End.AGAIN, True, "it has ended like that", numbers)
    if now.state is is_ending:
        return Ruling(ErrorCode.CONCURRENT_TRANSACTIONS, False, "its markers are on their way", numbers)
    numbers |= {"commits": int(committed), "bumps epoch": int(bumps_epoch)}
    return Ruling(ErrorCode.INVALID_TXN_STATE, False, "there is no open transaction", numbers)


@rule(source="KIP-98", kafka="TransactionStateManager.timedOutTransactions")
def transaction_timed_out(now: Transaction, now_ms: int) -> Ruling[bool]:
    """A transaction that is open for longer than its producer said is aborted, and its producer is fenced."""
    open_ms = now_ms - now.started_ms
    is_late = now.state is TransactionState.ONGOING and open_ms >= now.timeout_ms
    numbers: Numbers = {"open_ms": open_ms, "timeout_ms": now.timeout_ms}
    return yes_or_no(is_late, "it is open for too long" if is_late else "it has time", numbers)


@rule(source="KIP-98", kafka="TransactionStateManager.shouldExpire")
def transactional_id_expired(now: Transaction, now_ms: int, expiration_ms: int) -> Ruling[bool]:
    """A transactional id that has no transaction and was not used for long is forgotten."""
    unused_ms = now_ms - now.updated_ms
    is_late = now.state in AT_REST and unused_ms >= expiration_ms
    numbers: Numbers = {"unused_ms": unused_ms, "expiration_ms": expiration_ms}
    return yes_or_no(is_late, "it was not used for long" if is_late else "it is in use", numbers)


def next_epoch(now: Transaction) -> int:
    """Of the same producer id."""
    return max(now.producer_epoch, NO_PRODUCER_EPOCH) + 1
