"""One true sentence per event of transactions. Names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import transaction
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import DIM, GOOD, INFO, WARN
from workbench.support.safe_text import safe_text


def _error(code: int) -> str:
    return ErrorCode(code).name if code in set(ErrorCode) else f"error {code}"


def _id(text: str) -> str:
    return safe_text(text, 40) or "nobody"


def _where(event: Any) -> str:
    return f"{safe_text(event.topic, 40)}-{event.partition}"


def _ended(event: Any) -> str:
    return "committed" if event.committed else "aborted"


TRANSACTION_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    transaction.TransactionStateChanged: (
        INFO,
        lambda e: f"transactional id {_id(e.transactional_id)} is {e.state}, epoch {e.producer_epoch}: {e.why}",
    ),
    transaction.TransactionRefused: (
        WARN,
        lambda e: f"{e.request} of transactional id {_id(e.transactional_id)} is refused: {_error(e.error)}",
    ),
    transaction.TransactionCoordinatorLoaded: (
        GOOD,
        lambda e: (
            f"coordinates __transaction_state-{e.partition} in epoch {e.leader_epoch}: "
            f"{counted(len(e.transactions), 'transactional id')}"
        ),
    ),
    transaction.TransactionCoordinatorResigned: (
        WARN,
        lambda e: f"no longer coordinates __transaction_state-{e.partition}",
    ),
    transaction.MarkersSent: (
        INFO,
        lambda e: (
            f"tells {counted(len(e.partitions), 'leader')} that the transaction of {_id(e.transactional_id)} is "
            f"{_ended(e)}"
        ),
    ),
    transaction.MarkerWritten: (
        DIM,
        lambda e: (
            f"{_where(e)}: the transaction of producer {e.producer_id} is {_ended(e)}, at offset {e.offset}"
            f"{', because an administrator says so' * e.by_client}"
        ),
    ),
    transaction.MarkerRefused: (
        WARN,
        lambda e: (
            f"{_where(e)}: no marker of producer {e.producer_id} is written: "
            f"{_error(e.error) if e.error else 'it is there already'}"
        ),
    ),
    transaction.PartitionVerified: (
        DIM,
        lambda e: (
            f"{_where(e)}: the coordinator of {_id(e.transactional_id)} "
            f"{f'says {_error(e.error)}' if e.error else 'counts the partition in'}"
        ),
    ),
    transaction.CommittedRecordsGiven: (
        DIM,
        lambda e: (
            f"{_where(e)}: gives a reader of committed records {e.fetch_offset} to {e.end_offset - 1}, stable up to "
            f"{e.last_stable_offset}{f', {len(e.aborted)} aborted among them' if e.aborted else ''}"
        ),
    ),
}
