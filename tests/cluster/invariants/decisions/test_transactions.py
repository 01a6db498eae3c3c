"""Decisions of a coordinator of transactions that do not follow from their numbers."""

from __future__ import annotations

from cluster.invariants.decisions.transactions import EPOCH_MAX
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.decided import Case, cases, is_wrong, judged


def changed(before: str, state: str, epoch: int = 4, producer_id: int = 9) -> ev.TransactionStateChanged:
    return ev.TransactionStateChanged(
        transactional_id="t", producer_id=producer_id, producer_epoch=epoch, state=state, before=before,
        partitions=(), why="",
    )  # fmt: skip


def refused(error: ErrorCode, state: str = "Empty") -> ev.TransactionRefused:
    return ev.TransactionRefused(
        transactional_id="t", request="", producer_id=9, producer_epoch=4, error=error, state=state
    )


NEW = {"producer_id": -1, "producer_epoch": -1}
KNOWN = {"producer_id": -1, "producer_epoch": -1, "known_id": 9, "known_epoch": 3}
NOT_OPEN = {"state": "Empty", "producer_epoch": 3, "known_epoch": 3, "commits": 1, "bumps epoch": 1}
OTHER_ID = ({"known_id": 8},)


@cases(
    Case("init_producer", changed("", "Empty", 0), NEW, ({"known_id": 9, "known_epoch": 0},)),
    Case("init_producer", changed("Empty", "Empty"), KNOWN, ({"known_epoch": 4}, {"known_epoch": 2}, *OTHER_ID)),
    Case("init_producer", changed("Ongoing", "PrepareAbort"), KNOWN, ({"known_epoch": 4}, *OTHER_ID)),
    Case("init_producer", changed("CompleteAbort", "Empty", 0, 10), {**KNOWN, "known_epoch": EPOCH_MAX},
         ({"known_epoch": EPOCH_MAX - 1},)),
    Case("may_have_timeout", refused(ErrorCode.INVALID_TRANSACTION_TIMEOUT), {"timeout_ms": 0, "most_ms": 9},
         ({"timeout_ms": 1}, {"timeout_ms": 9}), ({"timeout_ms": 10},), granted=False),
    Case("init_producer", refused(ErrorCode.INVALID_REQUEST), {"producer_id": 9, "producer_epoch": -1},
         ({"producer_epoch": 0}, {"producer_id": -1}), granted=False),
    Case("init_producer", refused(ErrorCode.PRODUCER_FENCED), {**KNOWN, "producer_id": 9, "producer_epoch": 2},
         ({"producer_epoch": 3}, {"producer_id": -1}), granted=False),
    Case("init_producer", refused(ErrorCode.CONCURRENT_TRANSACTIONS), {**NEW, "is changing": 1},
         ({"is changing": 0}, KNOWN), granted=False),
    Case("may_add", refused(ErrorCode.CONCURRENT_TRANSACTIONS), {"state": "Ongoing", "is changing": 1},
         ({"is changing": 0},), ({"state": "PrepareAbort", "is changing": 0},), granted=False),
    Case("init_producer", refused(ErrorCode.CONCURRENT_TRANSACTIONS, "PrepareCommit"), KNOWN, (), (NEW,),
         granted=False),
    Case("init_producer", refused(ErrorCode.CONCURRENT_TRANSACTIONS, "Ongoing"), KNOWN, ()),
    Case("may_add", changed("Empty", "Ongoing"), {"state": "Empty", "producer_epoch": 4},
         ({"state": "Ongoing"}, {"producer_epoch": 3}, {"is changing": 1}), ({"is changing": 0},)),
    Case("may_add", refused(ErrorCode.PRODUCER_FENCED), {"producer_epoch": 4, "known_epoch": 5}, ({"known_epoch": 4},),
         granted=False),
    Case("may_add", refused(ErrorCode.INVALID_PRODUCER_ID_MAPPING), {"producer_id": 9, "known_id": 8},
         ({"known_id": 9},), ({"known_id": -1},), granted=False),
    Case("is_in_transaction", refused(ErrorCode.TRANSACTION_ABORTABLE), {"state": "Ongoing", "is_part": 0,
         "producer_epoch": 3, "known_epoch": 3}, ({"is_part": 1}, {"known_epoch": 4}),
         ({"is_part": 1, "state": "Empty"},), granted=False),
    Case("end_transaction", changed("Ongoing", "PrepareCommit"),
         {"state": "Ongoing", "producer_epoch": 3, "known_epoch": 3}, ({"known_epoch": 4}, {"state": "Empty"})),
    Case("end_transaction", changed("Empty", "PrepareAbort"),
         {"state": "Empty", "producer_epoch": 3, "known_epoch": 3}, ({"state": "PrepareAbort"},)),
    Case("end_transaction", refused(ErrorCode.INVALID_TXN_STATE), NOT_OPEN,
         ({"state": "Ongoing"}, {"commits": 0}), ({"commits": 0, "bumps epoch": 0},), granted=False),
    Case("end_transaction", refused(ErrorCode.INVALID_TXN_STATE), {**NOT_OPEN, "state": "CompleteCommit", "commits": 0,
         "producer_epoch": 2}, ({"producer_epoch": 3}, {"state": "Empty"}, {"state": "Ongoing"}),
         ({"state": "PrepareCommit"},), granted=False),
    Case("end_transaction", refused(ErrorCode.PRODUCER_FENCED), {"state": "PrepareAbort", "producer_epoch": 3,
         "known_epoch": 3}, ({"state": "Ongoing"}, {"known_epoch": 4}), ({"state": "PrepareCommit"},), granted=False),
    Case("transaction_timed_out", changed("Ongoing", "PrepareAbort"), {"open_ms": 100, "timeout_ms": 100},
         ({"open_ms": 99},)),
    Case("transactional_id_expired", changed("Empty", "Dead"), {"unused_ms": 100, "expiration_ms": 100},
         ({"unused_ms": 99},)),
)  # fmt: skip
def test_a_decision_that_does_not_follow_from_its_numbers_is_found(case: Case) -> None:
    judged("TX6", case)


@cases(
    Case("init_producer", changed("PrepareCommit", "Empty"), KNOWN, ()),
    Case("init_producer", refused(ErrorCode.NOT_COORDINATOR), KNOWN, (), granted=False),
    Case("init_producer", refused(ErrorCode.PRODUCER_FENCED), {**KNOWN, "producer_id": 9}, ()),
    Case("may_add", changed("PrepareCommit", "Ongoing"), {"state": "PrepareCommit", "producer_epoch": 4}, ()),
    Case("may_add", refused(ErrorCode.NOT_COORDINATOR), {}, (), granted=False),
    Case("end_transaction", changed("Empty", "PrepareAbort", 3),
         {"state": "Empty", "producer_epoch": 3, "known_epoch": 3}, ()),
    Case("end_transaction", refused(ErrorCode.INVALID_TXN_STATE), {**NOT_OPEN, "state": "PrepareCommit"}, (),
         granted=False),
    Case("end_transaction", changed("Empty", "PrepareCommit"),
         {"state": "Empty", "producer_epoch": 3, "known_epoch": 3}, ()),
    Case("transaction_timed_out", changed("Empty", "PrepareAbort"), {"open_ms": 100, "timeout_ms": 100}, ()),
    Case("transactional_id_expired", changed("Ongoing", "Dead"), {"unused_ms": 100, "expiration_ms": 100}, ()),
    Case("end_transaction", changed("Ongoing", "PrepareAbort"),
         {"state": "Ongoing", "producer_epoch": 3, "known_epoch": 3}, (), granted=False),
)  # fmt: skip
def test_what_no_coordinator_does_is_found_whatever_was_compared(case: Case) -> None:
    is_wrong("TX6", case)
