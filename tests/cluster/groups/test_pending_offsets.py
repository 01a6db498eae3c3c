"""Which of two offsets of a partition counts: the one that stands later in the log, whoever ends first."""

from __future__ import annotations

from cluster.groups.pending_offsets import NOT_WRITTEN, settle, supersede, tidy, unstable
from cluster.groups.state import CommittedOffset, Group, PendingOffset
from cluster.model.identifiers import TopicPartition

A, B = TopicPartition("orders", 0), TopicPartition("orders", 1)


def pending(at_offset: int, offset: int = 5) -> PendingOffset:
    return PendingOffset(at_offset, CommittedOffset(offset=offset))


def group(**producers: dict[TopicPartition, PendingOffset]) -> Group:
    """`p7`: what producer 7 has pending."""
    items = {int(name.removeprefix("p")): items for name, items in producers.items()}
    return Group(name="g", partition=0, number=1, pending_offsets=items)


def test_offsets_of_a_committed_transaction_take_the_place_of_committed_ones() -> None:
    kept = group()
    kept.offsets[A] = CommittedOffset(offset=1)
    kept.offsets[B] = CommittedOffset(offset=2)
    assert settle(kept, {A: pending(10)}) == {A: CommittedOffset(offset=5)}
    assert {where: item.offset for where, item in kept.offsets.items()} == {A: 5, B: 2}


def test_what_another_transaction_wrote_before_never_counts() -> None:
    kept = group(p8={A: pending(9), B: pending(9)})
    settle(kept, {A: pending(10)})
    assert kept.pending_offsets == {8: {B: pending(9)}}


def test_what_another_transaction_wrote_later_stays_pending() -> None:
    kept = group(p8={A: pending(11)}, p9={A: pending(10)})
    settle(kept, {A: pending(10)})
    assert sorted(kept.pending_offsets) == [8, 9]


def test_a_record_on_its_way_is_later_than_all_that_are_written() -> None:
    kept = group(p8={A: pending(NOT_WRITTEN)})
    supersede(kept, A, 1 << 61)
    assert kept.pending_offsets == {8: {A: pending(NOT_WRITTEN)}}


def test_a_producer_of_which_nothing_is_left_is_forgotten() -> None:
    kept = group(p7={}, p8={A: pending(3)})
    tidy(kept)
    assert sorted(kept.pending_offsets) == [8]
    supersede(kept, A, 4)
    assert kept.pending_offsets == {}


def test_a_partition_is_unstable_while_any_producer_has_an_offset_of_it_pending() -> None:
    kept = group(p7={A: pending(3)}, p8={A: pending(4), B: pending(4)})
    assert unstable(kept) == {A, B}
    del kept.pending_offsets[8]
    assert unstable(kept) == {A}
