"""What acks=all needs (min.insync.replicas): before records are written, and before they are acknowledged."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no

ALL = -1
"""acks=all: a producer waits until its records are committed."""


@rule(kafka="Partition.appendRecordsToLeader")
def may_append(acks: int, isr: tuple[NodeId, ...], min_insync_replicas: int) -> Ruling[bool]:
    """acks=all is refused before anything is written while the committed ISR is smaller than min.insync.replicas."""
    if acks != ALL or len(isr) >= min_insync_replicas:
        return yes_or_no(True, "the ISR is large enough, or the producer does not ask for it")
    numbers: Numbers = {"acks": acks, "isr": list(isr), "min.insync.replicas": min_insync_replicas}
    return yes_or_no(False, "fewer replicas in sync than min.insync.replicas", numbers)


@rule(kafka="Partition.checkEnoughReplicasReachOffset")
def acknowledge_records(acks: int, maximal_isr: tuple[NodeId, ...], min_insync_replicas: int) -> Ruling[ErrorCode]:
    """Committed records of acks=all are acknowledged only when the ISR is not below its minimum at that moment.

    The records stay in the log all the same: the producer does not know what became of them.
    """
    if acks != ALL or len(maximal_isr) >= min_insync_replicas:
        return error_or_none(ErrorCode.NONE, "the records are where the producer wants them")
    numbers: Numbers = {"acks": acks, "isr": list(maximal_isr), "min.insync.replicas": min_insync_replicas}
    reason = "the ISR fell below min.insync.replicas after the append"
    return error_or_none(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, reason, numbers)
