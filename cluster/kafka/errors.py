"""What clients are told of an error, and in which words. Source: Kafka's Errors enum."""

from __future__ import annotations

from cluster.model.errors import ErrorCode

BETWEEN_NODES = frozenset(
    (
        ErrorCode.STALE_BROKER_EPOCH,
        ErrorCode.DUPLICATE_BROKER_REGISTRATION,
        ErrorCode.INCONSISTENT_CLUSTER_ID,
        ErrorCode.INELIGIBLE_REPLICA,
        ErrorCode.NEW_LEADER_ELECTED,
    )
)
"""Codes that no client ever sees."""
_BY_NUMBER = {code.value: code for code in ErrorCode if code not in BETWEEN_NODES}


def known_error(error: int) -> ErrorCode:
    """What a client is told of one of our codes.

    A code that only nodes tell each other (a stale broker epoch, say) becomes UNKNOWN_SERVER_ERROR: a client could do
    nothing with it. So does a number that is nobody's.
    """
    return _BY_NUMBER.get(error, ErrorCode.UNKNOWN_SERVER_ERROR)


def words_for(error: ErrorCode, reason: str = "") -> str | None:
    """What to say with an error, where its response has room for words: the reason, else what the code means."""
    if error is ErrorCode.NONE:
        return None
    return reason or _MEANINGS.get(error, error.name.lower().replace("_", " "))


_MEANINGS = {
    ErrorCode.UNKNOWN_SERVER_ERROR: "the broker met something that it has no other code for",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "this cluster has no such topic or partition",
    ErrorCode.LEADER_NOT_AVAILABLE: "the partition has no leader now",
    ErrorCode.NOT_LEADER_OR_FOLLOWER: "this broker does not lead the partition",
    ErrorCode.REQUEST_TIMED_OUT: "no answer came in time",
    ErrorCode.BROKER_NOT_AVAILABLE: "this node is no broker",
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: "the coordinator still reads what it has to know",
    ErrorCode.COORDINATOR_NOT_AVAILABLE: "there is no coordinator now",
    ErrorCode.NOT_COORDINATOR: "this broker does not coordinate the group",
    ErrorCode.INVALID_TOPIC_EXCEPTION: "no topic may have this name",
    ErrorCode.INVALID_GROUP_ID: "no group may have this name",
    ErrorCode.TOPIC_ALREADY_EXISTS: "there is a topic of this name",
    ErrorCode.NOT_CONTROLLER: "no active controller answered",
    ErrorCode.GROUP_ID_NOT_FOUND: "there is no such group",
    ErrorCode.UNKNOWN_TOPIC_ID: "no topic has this id",
}
