"""Transactions: their coordinators, how each ends, and the markers in the logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import producer, transaction
from workbench.telling import words
from workbench.telling.telling import ABORT, DIM, GOOD, INFO, WARN, Telling
from workbench.telling.template import fill

WHOSE = "transactional id {transactional_id:{}/nobody}"
ENDS = {
    "PrepareAbort": "aborted",
    "PrepareCommit": "committed",
    "CompleteAbort": "complete",
    "CompleteCommit": "complete",
}
"""What a transaction is by a state of its id."""
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
COMPLETE = "each of its partitions has the marker, so the next transaction may begin"
STATES = {
    "Ongoing": "its producer writes{partitions: to {}/}",
    "PrepareCommit": "its producer asked to commit it while it was open; now each partition is told",
    "PrepareAbort": "{why}",
    "CompleteCommit": COMPLETE,
    "CompleteAbort": COMPLETE,
    "Empty": "a producer began with this id and was given epoch {producer_epoch}; older ones are shut out",
}
"""Why it is in a state."""


def _state_question(e: transaction.TransactionStateChanged) -> str:
    asked = {"ended": ENDS.get(e.state, "")}
    return fill("Why is the transaction of {transactional_id} {ended}?", e, asked) if e.state in ENDS else ""


def _state_reason(e: transaction.TransactionStateChanged, _numbers: Mapping[str, Any]) -> str:
    logs = words.listed([words.log_name(part) for part in e.partitions]) if e.partitions else ""
    return fill(STATES.get(e.state, ""), e, {"partitions": logs})


def _refused(e: transaction.TransactionRefused | transaction.MarkerRefused, _numbers: Mapping[str, Any]) -> str:
    if not e.error:
        return "the marker stands in the log already"
    return REFUSED.get(ErrorCode(e.error), "") if e.error in set(ErrorCode) else ""


def _written(e: transaction.MarkerWritten, _numbers: Mapping[str, Any]) -> str:
    if e.by_client:
        return "an administrator asked for it, and no coordinator had decided it"
    if e.first_offset < 0:
        return "the coordinator has decided it; the log has no records of it"
    readers = "{committed:may have/leave out}"
    return fill(
        f"the coordinator has decided it: readers of committed records {readers} what stands from {{first_offset}} on",
        e,
    )


TELLINGS: dict[type, Telling] = {
    producer.ProducerIdGiven: Telling(INFO, "{client_id} is producer {producer_id}, epoch {producer_epoch}"),
    transaction.TransactionStateChanged: Telling(
        INFO,
        WHOSE + " is {state}, epoch {producer_epoch}: {why}",
        mark=lambda e: ABORT if e.state == "PrepareAbort" else "",
        question=_state_question,
        reasons=(
            "the transaction was open for {open_ms} ms, and its producer had asked for {timeout_ms} ms at most",
            _state_reason,
        ),
    ),
    transaction.TransactionRefused: Telling(
        WARN, "{request} of " + WHOSE + " is refused: {error}", reasons=(_refused,)
    ),
    transaction.TransactionCoordinatorLoaded: Telling(
        GOOD,
        "coordinates __transaction_state-{partition} in epoch {leader_epoch}: {transactions:transactional id}",
    ),
    transaction.TransactionCoordinatorResigned: Telling(WARN, "no longer coordinates __transaction_state-{partition}"),
    transaction.MarkersSent: Telling(
        INFO,
        "tells {partitions:leader} that the transaction of {transactional_id:{}/nobody} is "
        "{committed:committed/aborted}",
        reasons=("the decision is written down: the transaction is {committed:committed/aborted}",),
    ),
    transaction.MarkerWritten: Telling(
        DIM,
        "{log}: the transaction of producer {producer_id} is {committed:committed/aborted}, at offset {offset}"
        "{by_client:, because an administrator says so/}",
        reasons=(_written,),
    ),
    transaction.MarkerRefused: Telling(
        WARN,
        "{log}: no marker of producer {producer_id} is written: {error:{}/it is there already}",
        reasons=(_refused,),
    ),
    transaction.PartitionVerified: Telling(
        DIM,
        "{log}: the coordinator of {transactional_id:{}/nobody} {error:says {}/counts the partition in}",
    ),
    transaction.CommittedRecordsGiven: Telling(
        DIM,
        lambda e: fill(
            "{log}: gives a reader of committed records {fetch_offset} to {last}, stable up to {last_stable_offset}"
            + ", {aborted:size} aborted among them" * bool(e.aborted),
            e,
            {"last": e.end_offset - 1},
        ),
    ),
}
