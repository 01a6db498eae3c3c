"""The rule that fences whoever is in another leader epoch."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, Epoch
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule


@rule(source="KIP-320", kafka="Partition.checkCurrentLeaderEpoch")
def check_leader_epoch(
    their_epoch: Epoch, our_epoch: Epoch, *, is_leader: bool, is_replica: bool, is_consumer: bool
) -> Ruling[ErrorCode]:
    """A leader answers who is in its own leader epoch, or names none; whoever is in an older one is fenced.

    Epochs are looked at before the role, so that who asks the wrong broker learns which of the two is behind.
    """
    if their_epoch in (our_epoch, NO_EPOCH) and is_leader and (is_replica or is_consumer):
        return error_or_none(ErrorCode.NONE, "it asks the leader of its epoch")
    numbers: Numbers = {"their_leader_epoch": their_epoch, "our_leader_epoch": our_epoch}
    # A fetch claims all below its offset. From an older epoch that is a claim about another log: the asker may hold
    # records of the leader before, which this one never had, and would be counted for records in their places. Source:
    # KIP-320.
    if their_epoch != NO_EPOCH and their_epoch < our_epoch:
        return error_or_none(ErrorCode.FENCED_LEADER_EPOCH, "the asker is in an older leader epoch", numbers)
    if their_epoch > our_epoch:
        return error_or_none(ErrorCode.UNKNOWN_LEADER_EPOCH, "the asker is in a newer leader epoch", numbers)
    if not is_leader:
        reason = "this broker does not lead the partition"
        return error_or_none(ErrorCode.NOT_LEADER_OR_FOLLOWER, reason, {**numbers, "is_leader": 0})
    reason = "the asker is no replica of the partition"
    return error_or_none(ErrorCode.UNKNOWN_LEADER_EPOCH, reason, {**numbers, "is_replica": 0})
