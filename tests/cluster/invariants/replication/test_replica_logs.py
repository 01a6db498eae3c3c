"""Invariants P13 to P17 and P20: offsets, epochs, writers, cuts, the answers about epochs, and bytes."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import ALL, Partition
from tests.support.traces.traces import recovered


def old_leader_returns(end_of_cut: int = 1) -> Partition:
    """Broker 1 wrote a record that nobody copied; broker 2 leads epoch 1; broker 1 follows and is cut."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.append(1, 1, "bb")
    trace.elect(2, 1, (2, 3), start=1, high_watermark=0)
    trace.progress(2, 3, 1)
    trace.advance(2, 1, 1, ((2, 1), (3, 1)))
    trace.apply(1, 2, 1, 1, (2, 3))
    trace.follow(1, 2, 1, 2)
    trace.add(
        2,
        ev.ReplicaDiverged(
            **WHERE, replica_id=1, fetch_offset=2, last_fetched_epoch=0, diverging_epoch=0, diverging_end_offset=1
        ),
    )
    trace.truncate(1, end_of_cut, 2)
    return trace


def test_a_zombie_that_is_cut_and_goes_on_is_quiet() -> None:
    trace = old_leader_returns()
    trace.append(2, 1, "cc", 1)
    trace.copy(1, 1, "cc", 1)
    assert trace.holds("P13", "P14", "P15", "P17")


def test_a_cut_below_a_committed_offset_that_held_another_record_is_legal() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.append(1, 1, "b1")
    trace.append(1, 2, "b2")
    trace.elect(2, 1, (2, 3), start=1, high_watermark=1)
    trace.replicate(1, "cc", 1, leader=2, isr=(2, 3))
    trace.apply(1, 2, 1, 1, (2, 3))
    trace.follow(1, 2, 1, 3)
    trace.truncate(1, 1, 3)
    assert trace.holds("P15")


def test_a_cut_that_removes_a_committed_record_is_caught() -> None:
    assert "cuts its log to offset 0; all below 1 was committed" in old_leader_returns(end_of_cut=0).sentence("P15")


def test_a_cut_that_removes_what_the_leader_shares_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.truncate(2, 0, 1)
    assert "it shares all below 1 with leader 1" in trace.sentence("P15")


def test_a_follower_that_still_differs_after_its_cut_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "a0")
    trace.append(1, 1, "a1")
    trace.elect(2, 1, (2, 3))
    trace.append(2, 0, "c0", 1)
    trace.append(2, 1, "c1", 1)
    trace.apply(1, 2, 1, 1, (2, 3))
    trace.follow(1, 2, 1, 2)
    trace.truncate(1, 1, 2)
    trace.copy(1, 1, "c1", 1)
    assert "below 2 it still holds other records than leader 2" in trace.sentence("P15")


def test_a_cut_to_the_own_high_watermark_is_excused_by_the_mode() -> None:
    trace = Partition(truncation_mode="hw")
    trace.begin()
    trace.replicate(0, "aa")
    trace.truncate(2, 0, 1, mode="hw")
    assert trace.excuse("P15") == "A4"


def test_a_wrong_answer_about_an_epoch_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.elect(2, 1, (2, 3), start=1)
    trace.add(
        2,
        ev.ReplicaDiverged(
            **WHERE, replica_id=1, fetch_offset=2, last_fetched_epoch=0, diverging_epoch=0, diverging_end_offset=0
        ),
    )
    assert "says that epoch 0 ends at 0" in trace.sentence("P14")
    assert "and it ends at 1" in trace.sentence("P14")


def test_an_epoch_below_all_that_the_leader_knows_ends_where_its_log_begins() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(2, 3, (2, 3))
    trace.append(2, 0, "cc", 3)
    trace.add(
        2,
        ev.ReplicaDiverged(
            **WHERE, replica_id=1, fetch_offset=2, last_fetched_epoch=2, diverging_epoch=2, diverging_end_offset=0
        ),
    )
    assert trace.holds("P14")


def test_a_divergence_that_is_none_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.add(
        1,
        ev.ReplicaDiverged(
            **WHERE, replica_id=2, fetch_offset=1, last_fetched_epoch=0, diverging_epoch=0, diverging_end_offset=1
        ),
    )
    assert "although it ends where their logs agree" in trace.sentence("P14")


def test_a_gap_an_overlap_and_a_wrong_cut_are_caught() -> None:
    gap = Partition()
    gap.begin()
    gap.append(1, 1, "aa")
    assert "ends at 0 and gets records from 1 on" in gap.sentence("P17")
    overlap = Partition()
    overlap.begin()
    overlap.append(1, 0, "aa")
    overlap.append(1, 0, "bb")
    assert "ends at 1 and gets records from 0 on" in overlap.sentence("P17")
    cut = Partition()
    cut.begin()
    cut.append(1, 0, "aa")
    cut.truncate(1, 1, 2)
    assert "said to be cut from 2 to 1" in cut.sentence("P17")


def test_what_a_killed_process_wrote_and_could_not_tell_leaves_no_gap() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.exit(1)
    trace.start(1, "broker")
    trace.add(1, recovered(2, ((0, 1, 0, ("aa",)), (1, 1, 0, ("bb",))), topic="orders"))
    trace.elect(2, 1, (2, 3))
    assert trace.holds("P17")


def test_two_writers_in_one_epoch_are_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.lead(2, 0, 0)
    trace.append(2, 0, "bb")
    assert "in which node 1 wrote" in trace.sentence("P13")


def test_a_writer_that_does_not_lead_the_epoch_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(2, 0, "aa")
    assert "writes in an epoch that it does not lead" in trace.sentence("P13")


def test_a_copy_of_records_that_nobody_wrote_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.copy(2, 0, "aa", 5)
    assert "in which nobody wrote: leader epoch 5" in trace.sentence("P13")


def test_an_epoch_that_falls_along_a_log_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.elect(1, 1)
    trace.append(1, 0, "aa", 1)
    trace.append(1, 1, "bb", 0)
    assert "appends leader epoch 0 after epoch 1" in trace.sentence("P13")


def test_epochs_may_fall_where_a_follower_keeps_what_its_leader_lacks() -> None:
    """Found by the swarm in mode kip101, seed 32215: of an epoch that it does not know a leader says that all fits."""
    trace = Partition(truncation_mode="kip101")
    trace.begin()
    trace.replicate(0, "aa")
    trace.append(1, 1, "bb")
    trace.elect(2, 1, (2,), start=1, unclean=True)
    trace.append(2, 1, "cc", 1, count=2)
    trace.append(1, 2, "dd", count=2)
    trace.elect(1, 2, (1,), start=4, unclean=True)
    trace.follow(2, 1, 2, end=3)
    trace.copy(2, 3, "ee")
    assert trace.excuse("P13") == "A4"


def test_in_sync_replicas_that_differ_at_the_end_are_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.copy(3, 0, "ff")
    for node in (2, 3):
        trace.progress(1, node, 1)
    trace.advance(1, 1)
    found = trace.violations("P16")
    assert [item.record for item in found] == ["orders-0 offset 0"]
    assert len(found[0].events) == 1
    assert "replica 3 of the ISR differs from leader 1" in found[0].sentence


def differing_at_rest(*, in_sync: bool) -> Partition:
    """Six records; replica 3 has others at 1, 3 and 4, and the leader has heard it fetch behind all of them."""
    trace = Partition()
    trace.begin()
    for base in range(6):
        trace.append(1, base, f"a{base}")
        trace.copy(2, base, f"a{base}")
        trace.copy(3, base, f"b{base}" if base in (1, 3, 4) else f"a{base}")
    for node in (2, 3):
        trace.progress(1, node, 6)
    if not in_sync:
        trace.propose(1, (1, 2), (1, 2, 3))
        trace.decide(1, 0, 1, (1, 2))
        trace.apply(1, 1, 0, 1, (1, 2))
        trace.committed(1, (1, 2), 1)
    trace.advance(1, 6, counted=((1, 6), (2, 6), (3, 6)) if in_sync else ((1, 6), (2, 6)))
    return trace


@pytest.mark.parametrize(("in_sync", "of"), [(True, "of the ISR"), (False, "outside of the ISR")])
def test_each_offset_at_which_replicas_differ_at_the_end_is_named(in_sync: bool, of: str) -> None:
    found = differing_at_rest(in_sync=in_sync).violations("P16")
    assert [item.record for item in found] == ["orders-0 offsets 1, 3 to 4"]
    assert found[0].sentence == (
        f"the run ends, and replica 3 {of} differs from leader 1 at offsets 1, 3 to 4, below high watermark 6"
    )


def test_what_an_in_sync_replica_lacks_differs_and_one_outside_may_be_behind() -> None:
    trace = differing_at_rest(in_sync=True)
    trace.append(1, 6, "a6")
    trace.copy(2, 6, "a6")
    trace.progress(1, 2, 7)
    trace.advance(1, 7, counted=((1, 7), (2, 7), (3, 7)))
    assert trace.violations("P16")[0].record == "orders-0 offsets 1, 3 to 4, 6"
    trace = differing_at_rest(in_sync=False)
    trace.append(1, 6, "a6")
    trace.copy(2, 6, "a6")
    trace.progress(1, 2, 7)
    trace.advance(1, 7, counted=((1, 7), (2, 7)))
    assert trace.violations("P16")[0].record == "orders-0 offsets 1, 3 to 4"


def test_a_tail_that_the_leader_has_not_heard_of_may_differ_outside_of_the_isr() -> None:
    trace = Partition()
    trace.begin()
    trace.elect(1, 1, (1, 2))
    trace.copy(3, 0, "f0", 0)
    trace.replicate(0, "a0", 1, isr=(1, 2))
    assert "P16" not in trace.bad(), "it is cut when it fetches"


def test_equal_replicas_at_the_end_are_quiet() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.append(1, 1, "bb")
    assert trace.holds("P16")
    assert trace.verdicts()["P16"].checks == len(ALL) - 1


def test_records_of_a_log_that_was_there_before_the_run_were_written_by_somebody() -> None:
    trace = Partition()
    trace.begin()
    trace.recover(1, "aa", "bb", epochs=(4, 4))
    trace.copy(2, 0, "aa", 4)
    assert "P13" not in trace.bad()


def test_a_follower_that_writes_other_bytes_than_its_leader_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    assert trace.holds("P20")
    trace.append(1, 1, "bb")
    trace.copy(2, 1, "b0")
    assert trace.sentence("P20") == "node 2 writes a batch whose bytes have CRC b0; leader 1 has it with CRC 000000bb"


def test_bytes_that_are_refused_are_right() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.add(2, ev.CorruptBatchRefused(**WHERE, leader_id=1, offset=0))
    assert trace.verdicts()["P20"].checks == 1
    assert "P20" not in trace.bad()


def test_a_batch_that_overlaps_the_log_of_a_follower_tells_of_logs_that_differ() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.add(2, ev.CorruptBatchRefused(**WHERE, leader_id=1, offset=3, base_offset=2))
    assert trace.verdicts()["P20"].checks == 0
    assert trace.sentence("P16").endswith("up to 3 and is sent a batch from 2 on")


def test_a_batch_that_the_leader_does_not_hold_has_no_bytes_to_compare() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.elect(3, 1, start=0)
    trace.copy(2, 0, "bb")
    assert "P20" not in trace.bad()


def test_who_follows_a_deposed_leader_is_compared_with_that_one() -> None:
    """Broker 3 leads already; broker 2 does not know it yet and has broker 1 cut its log to its own."""
    trace = old_leader_returns()
    trace.apply(3, 3, 2, 2, (3,))
    trace.lead(3, 2, 1, 1, (3,))
    trace.append(3, 1, "dd", 2)
    trace.append(2, 1, "cc", 1)
    trace.copy(1, 1, "cc", 1)
    assert "P15" not in trace.bad("P")


def asked(mode: str, epoch: int, found: int, end: int) -> Partition:
    """Broker 2 leads epoch 3 from offset 3 on; its log has epoch 1 from 0 and epoch 2 from 2. Somebody asks."""
    trace = Partition(truncation_mode=mode)
    trace.brokers()
    trace.elect(2, 1, (1, 2))
    for offset, crc in enumerate(("aa", "bb")):
        trace.replicate(offset, crc, 1, leader=2, isr=(1, 2))
    trace.elect(1, 2, (1, 2), start=2, high_watermark=2)
    trace.replicate(2, "cc", 2, isr=(1, 2))
    trace.elect(2, 3, (1, 2), start=3, high_watermark=3)
    trace.append(2, 3, "dd", 3)
    answer = ev.EpochEndAnswered(**WHERE, replica_id=1, asked_epoch=epoch, found_epoch=found, end_offset=end)
    trace.add(2, answer)
    return trace


@pytest.mark.parametrize(
    ("mode", "epoch", "found", "end"),
    [
        ("kip279", 1, 1, 2),
        ("kip279", 2, 2, 3),
        ("kip279", 3, 3, 4),
        ("kip279", 0, 0, 0),
        ("kip279", 4, -1, -1),
        ("kip101", 1, -1, 2),
        ("kip101", 3, -1, 4),
        ("kip101", 0, -1, -1),
        ("kip101", 4, -1, -1),
    ],
)
def test_a_leader_that_is_asked_tells_where_an_epoch_ends(mode: str, epoch: int, found: int, end: int) -> None:
    assert asked(mode, epoch, found, end).holds("P14")
    assert f"when asked where epoch {epoch} ends" in asked(mode, epoch, found, end + 1).sentence("P14")


@pytest.mark.parametrize(
    ("mode", "epoch", "found", "end"),
    [
        ("kip279", 1, 1, 2),
        ("kip279", 2, 2, 3),
        ("kip279", 0, 0, 2),
        ("kip101", 1, -1, -1),
        ("kip101", 2, -1, 3),
        ("kip101", 3, -1, 4),
    ],
)
def test_of_epochs_before_its_log_start_a_leader_knows_only_that(mode: str, epoch: int, found: int, end: int) -> None:
    """Records 0 and 1, all that epoch 1 wrote, are deleted: what it knows begins with epoch 2 at offset 2."""

    def deleted(end: int) -> Partition:
        trace = asked(mode, epoch, found, end)
        answer = trace.entries.pop().event
        trace.add(
            2,
            ev.LogStartAdvanced(**WHERE, log_start_offset=2, old_log_start_offset=0, high_watermark=3, role="leader"),
        )
        trace.add(2, answer)
        return trace

    assert deleted(end).holds("P14")
    assert f"when asked where epoch {epoch} ends" in deleted(end + 1).sentence("P14")
