"""What a client makes of an error: try again or not, and what is certain. Source: Kafka Errors, RetriableException."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no

NO_ANSWER = ErrorCode.UNKNOWN_SERVER_ERROR
"""Stands where an error code stands when the connection broke or the wait was over."""
RETRIABLE = frozenset(
    (
        NO_ANSWER,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.KAFKA_STORAGE_ERROR,
    )
)
MAY_HAVE_HAPPENED = frozenset((NO_ANSWER, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND))
"""After these the records may be in the log: not a failure, not a success."""


IDEMPOTENT_IN_FLIGHT_MAX = 5
"""As many batches as a leader remembers. Source: ProducerConfig, max.in.flight.requests.per.connection."""
HARMLESS = ("consume", "init_producer_id", "metadata", "add_partitions")
"""What changes no log."""


@rule(source="KIP-98", kafka="Sender.canRetry, TransactionManager.canRetry")
def is_retriable(error: int, function: str = "", *, waits_for_older: bool = False) -> Ruling[bool]:
    """A client tries again after an error that may pass, and idempotently after a gap that may close.

    Args:
        function: what it did. A batch that a broker found spoilt is sent again; what was read spoilt stays so.
        waits_for_older: an older batch of this idempotent producer has no outcome yet: a gap before this one may close.
    """
    if error == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and waits_for_older:
        return yes_or_no(True, "an older batch may close the gap", {"error": error})
    passes = error in RETRIABLE or (error == ErrorCode.CORRUPT_MESSAGE and function == "produce")
    return yes_or_no(passes, "the error may pass" if passes else "the error stays", {"error": error})


@rule(source="our own: what an error leaves open")
def may_have_happened(error: int, function: str, acks: int, *, flushes_first: bool = False) -> Ruling[bool]:
    """An attempt without an answer may have taken effect, and so may one that was refused while it waited.

    A leader that loses its role refuses the requests that wait, and their records are in its log. With acks=all they
    wait for the followers; with acks=1 they wait for the disk when brokers flush before they answer (`flushes_first`).
    """
    numbers: Numbers = {"error": error, "acks": acks}
    if function in HARMLESS:
        return yes_or_no(False, "it changes no log", numbers)
    waits = acks == -1 or (acks == 1 and flushes_first)
    in_doubt = error in MAY_HAVE_HAPPENED or (error == ErrorCode.NOT_LEADER_OR_FOLLOWER and waits)
    return yes_or_no(in_doubt, "the records may be in the log" if in_doubt else "nothing was written", numbers)
