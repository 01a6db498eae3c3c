"""Which assumption excuses what, and where."""

from __future__ import annotations

from cluster.invariants.verdicts.ledger import Ledger
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA, TopicPartition

ORDERS, OTHER = TopicPartition("orders", 0), TopicPartition("orders", 1)
EVENT = EventId(1, 0, 7)


def test_a_partition_excuses_nothing_in_another_one() -> None:
    ledger = Ledger()
    ledger.breaks("A2", EVENT, "by hand", ORDERS)
    found = ledger.excuse(("A1", "A2"), ORDERS)
    assert found is not None
    assert (found.assumption, found.event) == ("A2", EVENT)
    assert ledger.excuse(("A2",), OTHER) is None
    assert ledger.excuse(("A3",), ORDERS) is None


def test_a_setting_concerns_the_whole_run() -> None:
    ledger = Ledger()
    ledger.breaks("A4", EVENT, "by hand")
    assert ledger.excuse(("A4",), ORDERS) is not None
    assert ledger.excuse(("A4",), METADATA) is not None


def test_what_the_quorum_forgets_concerns_every_partition() -> None:
    ledger = Ledger()
    ledger.breaks("A1", EVENT, "by hand", METADATA)
    assert ledger.excuse(("A1",), ORDERS) is not None
    ledger.breaks("A2", EVENT, "by hand", METADATA)
    assert ledger.excuse(("A2",), ORDERS) is None


def test_only_the_first_event_that_broke_it_is_named() -> None:
    ledger = Ledger()
    ledger.breaks("A3", EVENT, "first", ORDERS)
    ledger.breaks("A3", EventId(2, 0, 0), "second", ORDERS)
    assert [(item.event, item.why) for item in ledger.broken()] == [(EVENT, "first")]


def test_what_concerns_older_records_excuses_no_loss_of_a_newer_one() -> None:
    ledger = Ledger()
    ledger.breaks("A2", EVENT, "first", ORDERS, below=5)
    ledger.breaks("A2", EVENT, "no more records", ORDERS, below=4)
    later = EventId(2, 0, 0)
    ledger.breaks("A2", later, "more records", ORDERS, below=8)
    named = [ledger.excuse(("A2",), ORDERS, offset) for offset in (None, 4, 5, 8)]
    assert [found and found.event for found in named] == [EVENT, EVENT, later, None]
    assert len(ledger.broken()) == 2
