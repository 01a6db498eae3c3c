"""The rules of a partition's leader about transactions: what may be written into one, and what ends it."""

from __future__ import annotations

from enum import Enum, auto

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, Offset
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no
from cluster.replication.producer_state import ProducerEntry


class MarkerFate(Enum):
    """What becomes of a marker that is not refused."""

    WRITE = auto()
    WRITTEN = auto()
    """The same marker stands in the log: it is acknowledged again."""


@rule(source="KIP-98", kafka="ProducerAppendInfo.appendDataBatch")
def may_write_outside(open_from: Offset, producer_id: int) -> Ruling[ErrorCode]:
    """A producer that has a transaction open in a partition writes nothing beside it there."""
    numbers: Numbers = {"producer_id": producer_id, "open_from": open_from}
    if open_from == UNKNOWN_OFFSET:
        return error_or_none(ErrorCode.NONE, "it has no transaction open here", numbers)
    return error_or_none(ErrorCode.INVALID_TXN_STATE, "it has a transaction open here", numbers)


@rule(source="KIP-890", kafka="ReplicaManager.maybeSendPartitionsToTransactionCoordinator")
def must_verify(open_from: Offset, *, adds_partition: bool, verification: bool) -> Ruling[bool]:
    """Before a transaction's first batch in a partition the leader asks the coordinator whether it is part of it.

    Args:
        open_from: first offset of the producer's open transaction of this epoch here; -1 for none. One of an older
            epoch is over for its coordinator, and its marker on the way.
        adds_partition: the producer leaves it to the leader to add the partition (version 2).
        verification: the setting; without it a batch that comes late begins a transaction that nobody ends.
    """
    if open_from != UNKNOWN_OFFSET:
        return yes_or_no(False, "its transaction is open here already", {"open_from": open_from})
    if adds_partition:
        return yes_or_no(True, "the first batch adds the partition to the transaction")
    # A batch that comes late would begin a transaction that nobody ends:
    #
    #     producer    sends b, hears nothing, and aborts; the marker A is written
    #     the log     ... A b      only now b arrives: it looks like the first batch of the next transaction
    #
    # No marker will ever come for it, so the last stable offset stands before b for ever, and readers of committed
    # records with it. The coordinator knows that no transaction is open there. Source: KIP-890.
    reason = "the first batch of a transaction here" if verification else "verification is off"
    return yes_or_no(verification, reason)


@rule(source="KIP-98, KIP-890", kafka="ProducerAppendInfo.appendEndTxnMarker")
def may_write_marker(
    entry: ProducerEntry | None, producer_epoch: int, coordinator_epoch: Epoch, *, bumps_epoch: bool
) -> Ruling[MarkerFate | ErrorCode]:
    """A marker is written unless a newer coordinator, or a newer producer of the id, has written here.

    With version 2 it brings an epoch that no record before it has, so a second one is known.
    """
    numbers: Numbers = {"producer_epoch": producer_epoch, "coordinator_epoch": coordinator_epoch}
    if entry is None:
        return Ruling(MarkerFate.WRITE, True, "the log knows nothing of this producer", numbers)
    numbers |= {"known_epoch": entry.epoch, "known_coordinator_epoch": entry.coordinator_epoch}
    numbers["bumps epoch"] = int(bumps_epoch)
    if producer_epoch < entry.epoch:
        return Ruling(ErrorCode.INVALID_PRODUCER_EPOCH, False, "a newer epoch of this producer has written", numbers)
    # A coordinator that was deposed while its markers were on their way. Its successor has ended that transaction, and
    # the producer may be in its next one by now, which the late marker would end in the middle. Source: KIP-98.
    if coordinator_epoch < entry.coordinator_epoch:
        return Ruling(ErrorCode.TRANSACTION_COORDINATOR_FENCED, False, "a newer coordinator has written", numbers)
    if bumps_epoch and producer_epoch == entry.epoch:
        return Ruling(MarkerFate.WRITTEN, True, "the epoch of this marker is in the log already", numbers)
    return Ruling(MarkerFate.WRITE, True, "it ends the transaction here", numbers)
