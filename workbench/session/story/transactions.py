"""What the story says of transactions: how each that is aborted came to that, and how many were committed."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import transaction
from cluster.model.identifiers import TopicPartition
from workbench.session.story.incident import Incident
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.telling import GOOD, WARN

KIND = "transaction"


class Transactions:
    """Tells of them. Commits of one id are one incident however many there are; each abort is one of its own."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self._committed: dict[str, tuple[Incident, int]] = {}
        """Of each transactional id, with how many there were."""
        self._aborts: dict[int, tuple[Incident, str, int]] = {}
        """By producer id: what is told of the abort under way, and records that nobody will read so far."""

    def on_state(self, _entry: Entry, event: transaction.TransactionStateChanged, _picture: ClusterView) -> None:
        """A transaction is decided, or is over."""
        name = safe_text(event.transactional_id, 40)
        if event.state == "PrepareAbort":
            self._abort(event, f"Transaction of {name} aborted: {safe_text(event.why, 80)}")
        elif event.state == "CompleteCommit":
            self._commit(event, name)
        elif event.state == "CompleteAbort":
            self.teller.pay(("markers", event.transactional_id))
            self._aborts.pop(event.producer_id, None)

    def _abort(self, event: transaction.TransactionStateChanged, text: str) -> None:
        incident = self.teller.open(text, glyph="\u2717", tone=WARN, kind=KIND)
        incident.parts.update(TopicPartition(*part) for part in event.partitions)
        self.teller.owe(incident, ("markers", event.transactional_id))
        self._aborts[event.producer_id] = incident, text, 0

    def _commit(self, event: transaction.TransactionStateChanged, name: str) -> None:
        known = self._committed.get(event.transactional_id)
        if known is None:
            incident = self.teller.open(f"Transaction of {name} committed", glyph="\u2713", tone=GOOD, kind=KIND)
            self.teller.settle(incident)
            self._committed[event.transactional_id] = incident, 1
            return
        incident, count = known[0], known[1] + 1
        self._committed[event.transactional_id] = incident, count
        self.teller.rename(incident, f"{count} transactions of {name} committed")

    def on_marker(self, entry: Entry, event: transaction.MarkerWritten, picture: ClusterView) -> None:
        """Records of an aborted transaction stay in the log, and who reads committed ones never gets them."""
        known = self._aborts.get(event.producer_id)
        if event.committed or known is None or event.first_offset < 0:
            return
        incident, text, count = known
        log = picture.logs.get((entry.node, TopicPartition(event.topic, event.partition)))
        if log is not None and log.transactions is not None:
            count += log.transactions.records_of(event.producer_id, event.first_offset, event.offset)
        self._aborts[event.producer_id] = incident, text, count
        self.teller.rename(incident, f"{text}, {words.plural(count, 'record')} never read")
