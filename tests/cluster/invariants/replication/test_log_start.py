"""Rule P24: what is deleted from the front of a log."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition


class Deleting(Partition):
    """Three committed records; broker 1 leads."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()
        for offset, crc in enumerate(("aa", "bb", "cc")):
            self.replicate(offset, crc)

    def delete(self, node: int, before: int, *, old: int = 0, role: str = "leader") -> None:
        """A replica deletes from the front of its log."""
        self.add(
            node,
            ev.LogStartAdvanced(
                **WHERE, log_start_offset=before, old_log_start_offset=old, high_watermark=3, role=role
            ),
        )


def test_a_deletion_that_followers_take_over_is_quiet() -> None:
    trace = Deleting()
    trace.delete(1, 1)
    trace.delete(2, 1, role="follower")
    trace.delete(1, 3, old=1)
    trace.delete(3, 3, role="follower")
    assert trace.holds("P24")


def test_what_is_not_committed_is_not_deleted() -> None:
    trace = Deleting()
    trace.append(1, 3, "dd")
    trace.delete(1, 4)
    assert trace.sentence("P24") == "node 1 deletes what is below 4; its high watermark is 3"


def test_a_follower_deletes_nothing_by_itself() -> None:
    trace = Deleting()
    trace.delete(2, 1, role="follower")
    assert trace.sentence("P24") == "node 2 deletes what is below 1; no leader deleted anything"
    trace = Deleting()
    trace.delete(1, 1)
    trace.delete(2, 2, role="follower")
    assert trace.sentence("P24") == "node 2 deletes what is below 2; leaders deleted what is below 1"


def expired(end_offset: int) -> ev.SegmentsExpired:
    segments = ((0, end_offset, 9, 0),)
    told = {"limit": 9, "segments": segments, "kept_bytes": 9, "wall_ms": 0, "role": "follower"}
    return ev.SegmentsExpired(**WHERE, setting="retention.bytes", **told)  # type: ignore[arg-type]


def test_a_follower_whose_own_segments_are_old_enough_deletes_what_it_knows_to_be_committed() -> None:
    trace = Deleting()
    trace.add(1, ev.TopicConfigChanged(topic="orders", config="retention.bytes", value="9", is_default=False))
    trace.add(2, ev.HighWatermarkAdvanced(**WHERE, high_watermark=2, leader_epoch=0, role="follower",
                                          log_end_offsets=()))  # fmt: skip
    trace.add(2, expired(2))
    trace.delete(2, 2, role="follower")
    assert trace.holds("P24")
    trace.add(2, expired(3))
    trace.delete(2, 3, old=2, role="follower")
    assert trace.sentence("P24") == "node 2 deletes what is below 3; its high watermark is 2"


def test_a_log_that_is_opened_anew_after_a_move_is_not_held_against_the_one_before() -> None:
    """Found by the swarm, seed 528 with transactions: it led and let segments go, was moved away, and came back."""
    trace = Deleting()
    trace.add(1, ev.TopicConfigChanged(topic="orders", config="retention.bytes", value="9", is_default=False))
    trace.add(1, expired(2))
    trace.delete(1, 2)
    trace.add(1, ev.LogRemoved(**WHERE, log_end_offset=3))
    trace.delete(1, 2, role="follower")
    assert trace.holds("P24")


def test_segments_of_a_log_that_was_removed_say_nothing_of_the_next_one() -> None:
    """Found by the swarm, seed 30422: the new log takes its start from the leader before it hears what is committed."""
    trace = Deleting()
    trace.add(1, ev.TopicConfigChanged(topic="orders", config="retention.bytes", value="9", is_default=False))
    trace.delete(1, 2)
    trace.add(2, ev.HighWatermarkAdvanced(**WHERE, high_watermark=3, leader_epoch=0, role="follower",
                                          log_end_offsets=()))  # fmt: skip
    trace.add(2, expired(2))
    trace.add(2, ev.LogRemoved(**WHERE, log_end_offset=3))
    trace.recover(2, "aa", "bb", "cc")
    trace.delete(2, 2, role="follower")
    assert trace.holds("P24")


def test_followers_follow_a_leader_that_began_later_already() -> None:
    trace = Deleting()
    trace.add(1, ev.TopicConfigChanged(topic="orders", config="retention.bytes", value="9", is_default=False))
    trace.add(2, ev.HighWatermarkAdvanced(**WHERE, high_watermark=3, leader_epoch=0, role="follower",
                                          log_end_offsets=()))  # fmt: skip
    trace.add(2, expired(2))
    trace.delete(2, 2, role="follower")
    trace.elect(2, 1, start=3, high_watermark=3)
    trace.delete(3, 2, role="follower")
    assert trace.holds("P24")


def test_a_log_start_does_not_go_back_while_the_broker_lives() -> None:
    trace = Deleting()
    trace.delete(1, 2)
    trace.delete(1, 1, old=0)
    assert trace.sentence("P24") == "node 1 moves its log start from 0 to 1; it was 2"


def test_a_restart_may_find_an_older_checkpoint_of_the_log_start() -> None:
    trace = Deleting()
    trace.delete(1, 2)
    trace.delete(2, 2, role="follower")
    trace.exit(2)
    trace.start(2, "broker")
    trace.delete(2, 2, old=1, role="follower")
    assert trace.verdicts()["P24"].verdict is Verdict.HOLDS


def read_after_deletion(base: int, *, deleted_at: tuple[int, ...] = (1, 2, 3)) -> Deleting:
    """A client deletes what is below 2, and another one reads from there on."""
    trace = Deleting()
    asked = trace.invoke("delete_records", "before 2", client="admin-1")
    for node in deleted_at:
        trace.delete(node, 2, role="leader" if node == 1 else "follower")
    trace.succeed(asked, 2, function="delete_records", client="admin-1")
    trace.read(base, "x")
    return trace


def test_what_is_deleted_everywhere_is_not_read() -> None:
    assert read_after_deletion(2).holds("P24")
    sentence = "a consumer read offset 1 after every replica had deleted what is below 2"
    assert read_after_deletion(1).sentence("P24") == sentence


def test_a_replica_that_was_away_may_lead_and_show_what_others_deleted() -> None:
    assert read_after_deletion(1, deleted_at=(1, 2)).holds("P24")


def test_who_asked_before_the_deletion_was_done_may_read_what_it_takes() -> None:
    trace = Deleting()
    reading = trace.invoke("consume", "from 0", client="consumer-1")
    asked = trace.invoke("delete_records", "before 2", client="admin-1")
    for node in (1, 2, 3):
        trace.delete(node, 2, role="leader" if node == 1 else "follower")
    trace.succeed(asked, 2, function="delete_records", client="admin-1")
    trace.succeed(reading, 0, "x", function="consume", client="consumer-1")
    assert trace.holds("P24")


def test_a_cut_below_the_log_start_takes_it_back() -> None:
    trace = Deleting()
    trace.delete(1, 3)
    trace.delete(2, 3, role="follower")
    trace.truncate(2, 1, 3)
    trace.delete(2, 2, old=1, role="follower")
    assert trace.verdicts()["P24"].verdict is Verdict.HOLDS


def deposed(before: int) -> Deleting:
    """Leader 1 writes one more, which nobody copies; the next one writes another there, deletes, and is followed."""
    trace = Deleting()
    trace.append(1, 3, "dd")
    trace.elect(2, 1, (2, 3), start=3, high_watermark=3)
    trace.replicate(3, "ee", 1, leader=2, isr=(2, 3))
    trace.delete(2, before)
    trace.apply(1, 2, 1, 1, (2, 3))
    trace.follow(1, 2, 1, end=4, high_watermark=3)
    return trace


def test_what_a_deposed_leader_alone_held_may_go_without_a_cut() -> None:
    trace = deposed(4)
    trace.delete(1, 4, role="follower")
    trace.append(2, 4, "ff", 1)
    trace.copy(1, 4, "ff", 1)
    assert trace.bad() == {}


def test_what_its_own_retention_takes_while_it_follows_the_deposed_leader_makes_it_no_other_log() -> None:
    trace = Deleting()
    trace.append(1, 3, "dd")
    trace.copy(3, 3, "dd")
    trace.elect(2, 1, (2,), start=3, high_watermark=3, followers=())
    trace.replicate(3, "ee", 1, leader=2, isr=(2,))
    trace.delete(2, 4)
    trace.delete(3, 1, role="follower")
    trace.append(1, 4, "ff")
    trace.copy(3, 4, "ff")
    assert "P5" not in trace.bad()


def test_what_it_holds_past_the_log_start_of_its_leader_must_be_the_same() -> None:
    trace = deposed(3)
    trace.delete(1, 3, role="follower")
    trace.append(2, 4, "ff", 1)
    trace.copy(1, 4, "ff", 1)
    assert trace.violations("P5")


def test_a_log_that_ended_before_its_start_begins_anew() -> None:
    """A power loss took what was not flushed, and the checkpoint of the log start was: all of it had been deleted."""
    trace = Deleting()
    for node in (1, 2, 3):
        trace.delete(node, 3, role="leader" if node == 1 else "follower")
    trace.power_loss(3)
    trace.exit(3)
    trace.start(3, "broker")
    trace.add(
        3,
        ev.LogRecovered(
            **WHERE, valid_bytes=0, dropped_bytes=0, log_end_offset=3, high_watermark=3, batches=(), why="scanned",
            log_start_offset=3,
        ),
    )  # fmt: skip
    trace.append(1, 3, "dd")
    trace.copy(3, 3, "dd")
    assert trace.bad() == {}


def test_an_empty_log_begins_with_the_batch_that_holds_its_start() -> None:
    trace = Deleting()
    trace.append(1, 3, "dd", count=3)
    trace.delete(3, 4, role="follower")
    trace.add(
        3,
        ev.ReplicaAppended(
            **WHERE, base_offset=3, count=3, end_offset=6, leader_epoch=0, batches=((3, 3, 0, "dd"),), role="follower",
            size_bytes=1,
        ),
    )  # fmt: skip
    assert not trace.violations("P17")


def test_a_log_of_which_all_is_deleted_may_begin_with_an_older_batch_that_holds_its_start() -> None:
    """Found by the swarm, seed 21302 with 60 s of faults: an unclean leader had never heard of what was deleted."""
    trace = Deleting()
    trace.elect(3, 1, (3,), start=3, high_watermark=3)
    trace.append(3, 3, "ee", 1)
    trace.delete(3, 4)
    trace.append(1, 3, "dd", count=3)
    trace.elect(1, 2, (1,), start=6, high_watermark=3, unclean=True)
    trace.follow(3, 1, 2, end=4, high_watermark=4)
    trace.copy(3, 3, "dd", count=3)
    assert not trace.violations("P17") and not trace.violations("P13")


def test_what_its_leader_has_deleted_a_follower_may_call_committed_before_it_hears_of_that() -> None:
    """Found by the swarm, seed 774: of a deposed leader's epoch the new one only says that it ends at its log start."""
    trace = deposed(4)
    trace.learn(1, 4, 1)
    trace.delete(1, 4, role="follower")
    assert trace.bad() == {}


def test_a_log_that_is_cut_below_where_it_begins_is_empty_there() -> None:
    """Found by the swarm, seed 10121: an unclean leader that lacks what was deleted cuts one that begins after that."""
    trace = Deleting()
    trace.append(1, 3, "dd", count=3)
    trace.delete(1, 4)
    trace.delete(3, 4, role="follower")
    trace.truncate(3, 2, 4)
    trace.copy(3, 2, "ff")
    assert not trace.violations("P17")


def test_a_log_that_is_cut_below_where_it_begins_holds_nothing_of_what_was_deleted() -> None:
    """Found by the swarm, seed 30442 with damaged disks: its new leader had forgotten more than had been deleted."""
    trace = Deleting()
    for node in (1, 3):
        trace.delete(node, 3, role="leader" if node == 1 else "follower")
    trace.exit(1)
    trace.elect(2, 1, (2, 3), start=3)
    trace.learn(3, 3, 1)
    trace.truncate(2, 0, 3)
    trace.replicate(0, "ff", 1, leader=2, isr=(2,))
    trace.truncate(3, 1, 3)
    trace.progress(2, 3, 1)
    assert not trace.violations("P5")


def test_what_its_leader_has_deleted_a_follower_in_sync_need_not_hold() -> None:
    """Found by the swarm, seed 50300 with 30 s of faults: it joins the ISR before it hears of the deletion."""
    trace = deposed(4)
    trace.append(1, 4, "ab")
    trace.truncate(1, 4, 5)
    trace.progress(2, 1, 4)
    trace.decide(2, 1, 2, (1, 2))
    trace.committed(2, (1, 2), 2)
    assert "P4" not in trace.bad()


def test_a_deposed_leader_may_join_and_lead_before_it_hears_of_the_deletion() -> None:
    """Found by the swarm, seed 20656 with 60 s of faults: all it held alone lies before the log start of its leader."""
    trace = deposed(4)
    trace.progress(2, 1, 4)
    trace.decide(2, 1, 2, (1, 2))
    trace.committed(2, (1, 2), 2)
    trace.elect(1, 2, (1, 2), partition_epoch=3, start=4, high_watermark=3)
    assert not {"P2", "P4", "P5"} & set(trace.bad())


def test_a_deposed_leader_that_joins_must_hold_what_was_not_deleted() -> None:
    trace = deposed(3)
    trace.progress(2, 1, 4)
    trace.decide(2, 1, 2, (1, 2))
    trace.committed(2, (1, 2), 2)
    assert "replica 1 of the leader's own ISR" in trace.sentence("P4")
