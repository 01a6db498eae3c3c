"""Why transactions end and replicas move, as one clause each for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import controller, transaction
from workbench.session.story import words

REFUSED = {
    ErrorCode.INVALID_PRODUCER_EPOCH: "the log has a newer epoch of this producer",
    ErrorCode.PRODUCER_FENCED: "a newer producer has this transactional id",
    ErrorCode.TRANSACTION_COORDINATOR_FENCED: "a newer coordinator has written here",
    ErrorCode.NOT_LEADER_OR_FOLLOWER: "it does not lead the partition any more",
    ErrorCode.NOT_ENOUGH_REPLICAS: "too few replicas are in sync",
    ErrorCode.CONCURRENT_TRANSACTIONS: "the last transaction of this id is not complete yet, or a change is on its way",
    ErrorCode.INVALID_PRODUCER_ID_MAPPING: "this transactional id belongs to another producer",
    ErrorCode.NOT_COORDINATOR: "another broker coordinates this transactional id",
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: "it is still reading what its log says of transactions",
}
"""What an error means, of a marker or of a producer's request."""


def _logs(parts: tuple[tuple[str, int], ...]) -> str:
    named = [words.log_name(part) for part in parts[:3]]
    return ", ".join(named) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")


def _state(e: transaction.TransactionStateChanged, numbers: dict[str, Any]) -> str:
    match e.state:
        case "Ongoing":
            return f"its producer writes to {_logs(e.partitions)}" if e.partitions else "its producer writes"
        case "PrepareCommit":
            return "its producer asked to commit it while it was open; now each partition is told"
        case "PrepareAbort":
            return _aborted(e, numbers)
        case "CompleteCommit" | "CompleteAbort":
            return "each of its partitions has the marker, so the next transaction may begin"
        case "Empty":
            return f"a producer began with this id and was given epoch {e.producer_epoch}; older ones are shut out"
        case _:
            return ""


def _aborted(e: transaction.TransactionStateChanged, numbers: dict[str, Any]) -> str:
    open_ms, timeout_ms = numbers.get("open_ms"), numbers.get("timeout_ms")
    if isinstance(open_ms, int) and isinstance(timeout_ms, int):
        return f"the transaction was open for {open_ms} ms, and its producer had asked for {timeout_ms} ms at most"
    if e.why == "the next producer of its transactional id begins":
        return f"the next producer of its id began while it was open; epoch {e.producer_epoch} shuts the older one out"
    if e.why == "its producer aborts it":
        return "its producer asked to abort it"
    return ""


def _written(e: transaction.MarkerWritten, _numbers: dict[str, Any]) -> str:
    if e.by_client:
        return "an administrator asked for it, and no coordinator had decided it"
    if e.first_offset < 0:
        return "the coordinator has decided it; the log has no records of it"
    said = "readers of committed records may have" if e.committed else "readers of committed records leave out"
    return f"the coordinator has decided it: {said} what stands from {e.first_offset} on"


def _refused(e: Any, _numbers: dict[str, Any]) -> str:
    if not e.error:
        return "the marker stands in the log already"
    return REFUSED.get(ErrorCode(e.error), "") if e.error in set(ErrorCode) else ""


def _begun(e: controller.ReassignmentBegun, _numbers: dict[str, Any]) -> str:
    adds, goes = e.adding_replicas, e.removing_replicas
    copies = f"; {words.nodes(adds)} {'copies' if len(adds) == 1 else 'copy'} first" if adds else ""
    leaves = f", and {words.nodes(goes)} leave{'s' * (len(goes) == 1)} when all others are in sync" if goes else ""
    return f"its replicas are to be {words.nodes(e.replicas)}{copies}{leaves}"


def _ended(e: controller.ReassignmentEnded, _numbers: dict[str, Any]) -> str:
    left = f", so {words.nodes(e.left)} {'is' if len(e.left) == 1 else 'are'} not needed any more" if e.left else ""
    if e.how == "completed":
        return f"all of {words.nodes(e.replicas)} are in sync{left}"
    return f"the move was called off; the replicas are {words.nodes(e.replicas)} as before"


TRANSACTION_REASONS: dict[type, Callable[[Any, dict[str, Any]], str]] = {
    transaction.TransactionStateChanged: _state,
    transaction.TransactionRefused: _refused,
    transaction.MarkersSent: lambda e, _numbers: f"the decision is written down: the transaction is {_end(e)}",
    transaction.MarkerWritten: _written,
    transaction.MarkerRefused: _refused,
    controller.ReassignmentBegun: _begun,
    controller.ReassignmentEnded: _ended,
}
"""What is told of an event by its fields and by the numbers that its decision compared."""


def _end(e: transaction.MarkersSent) -> str:
    return "committed" if e.committed else "aborted"
