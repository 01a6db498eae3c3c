"""What clients are told: Kafka's error codes by name, and how ours become those.

`cluster.model.errors.ErrorCode` has Kafka's numbers, so most codes are handed on as they are.
Source: Kafka's Errors enum.
"""

from __future__ import annotations

from enum import IntEnum

from cluster.model.errors import ErrorCode


class KafkaError(IntEnum):
    """A code that a client may get from us."""

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    UNKNOWN_TOPIC_OR_PARTITION = 3
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    BROKER_NOT_AVAILABLE = 8
    REPLICA_NOT_AVAILABLE = 9
    MESSAGE_TOO_LARGE = 10
    OFFSET_METADATA_TOO_LARGE = 12
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    INVALID_REQUIRED_ACKS = 21
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    INVALID_TIMESTAMP = 32
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    NOT_CONTROLLER = 41
    INVALID_REQUEST = 42
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43
    POLICY_VIOLATION = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    DUPLICATE_SEQUENCE_NUMBER = 46
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
    KAFKA_STORAGE_ERROR = 56
    SASL_AUTHENTICATION_FAILED = 58
    UNKNOWN_PRODUCER_ID = 59
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    TOPIC_DELETION_DISABLED = 73
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNSUPPORTED_COMPRESSION_TYPE = 76
    OFFSET_NOT_AVAILABLE = 78
    MEMBER_ID_REQUIRED = 79
    PREFERRED_LEADER_NOT_AVAILABLE = 80
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83
    ELECTION_NOT_NEEDED = 84
    NO_REASSIGNMENT_IN_PROGRESS = 85
    GROUP_SUBSCRIBED_TO_TOPIC = 86
    INVALID_RECORD = 87
    UNSTABLE_OFFSET_COMMIT = 88
    INVALID_UPDATE_VERSION = 95
    UNKNOWN_TOPIC_ID = 100
    BROKER_ID_NOT_REGISTERED = 102
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    UNSUPPORTED_ASSIGNOR = 112
    STALE_MEMBER_EPOCH = 113
    MISMATCHED_ENDPOINT_TYPE = 114
    UNSUPPORTED_ENDPOINT_TYPE = 115
    INVALID_REGULAR_EXPRESSION = 128


_BY_NUMBER = {code.value: code for code in KafkaError}


def known_error(error: int) -> KafkaError:
    """What a client is told of one of our codes.

    A code that only nodes tell each other (a stale broker epoch, say) becomes UNKNOWN_SERVER_ERROR: a client could do
    nothing with it. So does a number that is nobody's.
    """
    return _BY_NUMBER.get(error, KafkaError.UNKNOWN_SERVER_ERROR)


def words_for(error: KafkaError, reason: str = "") -> str | None:
    """What to say with an error, where its response has room for words: the reason, else what the code means."""
    if error is KafkaError.NONE:
        return None
    return reason or _MEANINGS.get(error, error.name.lower().replace("_", " "))


_MEANINGS = {
    KafkaError.UNKNOWN_SERVER_ERROR: "the broker met something that it has no other code for",
    KafkaError.UNKNOWN_TOPIC_OR_PARTITION: "this cluster has no such topic or partition",
    KafkaError.LEADER_NOT_AVAILABLE: "the partition has no leader now",
    KafkaError.NOT_LEADER_OR_FOLLOWER: "this broker does not lead the partition",
    KafkaError.REQUEST_TIMED_OUT: "no answer came in time",
    KafkaError.BROKER_NOT_AVAILABLE: "this node is no broker",
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS: "the coordinator still reads what it has to know",
    KafkaError.COORDINATOR_NOT_AVAILABLE: "there is no coordinator now",
    KafkaError.NOT_COORDINATOR: "this broker does not coordinate the group",
    KafkaError.INVALID_TOPIC_EXCEPTION: "no topic may have this name",
    KafkaError.INVALID_GROUP_ID: "no group may have this name",
    KafkaError.TOPIC_ALREADY_EXISTS: "there is a topic of this name",
    KafkaError.NOT_CONTROLLER: "no active controller answered",
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "there are no transactions here",
    KafkaError.GROUP_ID_NOT_FOUND: "there is no such group",
    KafkaError.UNKNOWN_TOPIC_ID: "no topic has this id",
}


BETWEEN_NODES = frozenset(code for code in ErrorCode if code.value not in _BY_NUMBER)
"""Our codes that no client ever sees."""
