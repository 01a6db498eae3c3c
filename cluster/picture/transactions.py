"""Transactional ids folded from what their coordinators tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, NodeId, Offset
from cluster.picture.part import Part

TRANSACTIONS_MAX = 200
"""Transactional ids that are remembered, those that changed last."""
PREPARED = ("PrepareCommit", "PrepareAbort")
"""States in which it is decided how a transaction ends, and not every partition has its marker."""


@dataclass(slots=True)
class TransactionState(Part):
    """One transactional id, as its newest coordinator has it."""

    transactional_id: str
    """Untrusted text, as the producer sent it."""
    coordinator: NodeId = NO_NODE
    """-1 while no broker has said that it coordinates the id."""
    state: str = ""
    """Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, CompleteAbort, Dead."""
    producer_id: int = -1
    producer_epoch: int = -1
    partitions: tuple[tuple[str, int], ...] = ()
    """Those that are part of the transaction while it is open or decided; empty else."""
    since_ns: int = 0
    why: str = ""
    home: int = -1
    """Which partition of __transaction_state it lives in; -1 unknown."""
    data_epoch: int = -1
    """The producer epoch of its newest transaction's records."""
    offset: Offset = UNKNOWN_OFFSET
    """Of the newest record of it that was told of, in its home."""


def _changed(state: Any, entry: Entry, event: ev.TransactionStateChanged) -> None:
    transaction = state.transactions.get(event.transactional_id) or TransactionState(event.transactional_id)
    if event.offset < transaction.offset:
        return  # a coordinator that is none any more learns late what the next one has read
    state.transactions.pop(event.transactional_id, None)
    transaction.offset = event.offset
    transaction.coordinator, transaction.state, transaction.why, transaction.since_ns = (
        entry.node,
        event.state,
        event.why,
        entry.t_ns,
    )
    transaction.producer_id, transaction.producer_epoch = event.producer_id, event.producer_epoch
    transaction.partitions = event.partitions
    if event.state == "Ongoing":
        transaction.data_epoch = event.producer_epoch
    if event.state == "Dead":
        return
    state.transactions[event.transactional_id] = transaction
    while len(state.transactions) > TRANSACTIONS_MAX:
        del state.transactions[next(iter(state.transactions))]


def _loaded(state: Any, entry: Entry, event: ev.TransactionCoordinatorLoaded) -> None:
    """The next coordinator goes on with what it has read."""
    for name, stage, producer_id, producer_epoch in event.transactions:
        transaction = state.transactions.get(name)
        if transaction is None:
            transaction = state.transactions[name] = TransactionState(name)
        if transaction.state != stage:
            transaction.state, transaction.since_ns, transaction.why = stage, entry.t_ns, "read by its next coordinator"
        transaction.coordinator, transaction.home, transaction.offset = (
            entry.node,
            event.partition,
            event.end_offset - 1,
        )
        transaction.producer_id, transaction.producer_epoch = producer_id, producer_epoch


def _resigned(state: Any, entry: Entry, event: ev.TransactionCoordinatorResigned) -> None:
    for transaction in state.transactions.values():
        if transaction.coordinator == entry.node and transaction.home in (-1, event.partition):
            transaction.coordinator = NO_NODE


TRANSACTION_FOLDS: dict[type, Callable[[Any, Entry, Any], None]] = {
    ev.TransactionStateChanged: _changed,
    ev.TransactionCoordinatorLoaded: _loaded,
    ev.TransactionCoordinatorResigned: _resigned,
}
