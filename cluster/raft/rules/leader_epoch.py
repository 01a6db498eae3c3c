"""The rule by which a request of another epoch is refused."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import Epoch
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule


@rule(source="KIP-595", kafka="KafkaRaftClient.validateLeaderOnlyRequest")
def check_leader_epoch(their_epoch: Epoch, own_epoch: Epoch, *, is_leader: bool) -> Ruling[ErrorCode]:
    """A leader answers fetches of its own epoch only; whoever is in an older one is fenced."""
    if their_epoch == own_epoch and is_leader:
        return error_or_none(ErrorCode.NONE, "it fetches from the leader of this epoch")
    numbers: Numbers = {"their epoch": their_epoch, "own epoch": own_epoch}
    if their_epoch < own_epoch:
        return error_or_none(ErrorCode.FENCED_LEADER_EPOCH, "the asker is in an older epoch", numbers)
    if their_epoch > own_epoch:
        return error_or_none(ErrorCode.UNKNOWN_LEADER_EPOCH, "the asker is in a newer epoch", numbers)
    return error_or_none(ErrorCode.NOT_LEADER_OR_FOLLOWER, "this node does not lead", numbers)
