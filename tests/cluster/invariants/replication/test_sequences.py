"""P22, P28, P29: sequence numbers in one log, through copies, cuts, restarts and new leaders; and producer ids."""

from __future__ import annotations

from cluster.invariants.checker import Checker
from cluster.invariants.replication.sequences import SequenceInvariants
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict
from cluster.model import events as ev
from cluster.model.identifiers import METADATA
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import recovered

PRODUCER = 4


class Log(Partition):
    """Replicas 1 and 2 of orders-0; a batch is (base offset, base sequence, count)."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def write(
        self, node: int, base: int, sequence: int, count: int = 1, *, epoch: int = 0, role: str = "leader"
    ) -> None:
        self.add(
            node,
            ev.ReplicaAppended(
                **WHERE,
                base_offset=base,
                count=count,
                end_offset=base + count,
                leader_epoch=0,
                batches=((base, count, 0, "aa"),),
                role=role,
                size_bytes=1,
                sequences=((base, PRODUCER, epoch, sequence),),
            ),
        )

    def copied(self, node: int, base: int, sequence: int, count: int = 1) -> None:
        self.write(node, base, sequence, count, role="follower")

    def duplicate(self, node: int, base: int, sequence: int, count: int = 1, epoch: int = 0) -> None:
        self.add(
            node,
            ev.ProduceDuplicated(
                **WHERE,
                client_id="p",
                producer_id=PRODUCER,
                producer_epoch=epoch,
                base_sequence=sequence,
                base_offset=base,
                count=count,
            ),
        )

    def refuse(self, node: int, sequence: int, count: int = 1, epoch: int = 0) -> None:
        refused = ev.ProduceRefused(
            **WHERE, client_id="p", error=45, acks=-1, sequence=(PRODUCER, epoch, sequence, count)
        )
        self.add(node, refused)

    def line(self, invariant: str) -> InvariantVerdict:
        checker = Checker((SequenceInvariants,))
        for entry in self.entries:
            checker.feed(entry)
        return next(line for line in checker.finish(()) if line.info.id == invariant)

    @property
    def verdict(self) -> InvariantVerdict:
        return self.line("P22")

    @property
    def told(self) -> str:
        assert self.verdict.verdict is Verdict.VIOLATED
        return self.verdict.violations[0].sentence

    @property
    def is_quiet(self) -> bool:
        return self.verdict.verdict is Verdict.HOLDS


def test_consecutive_batches_on_every_leader_are_quiet() -> None:
    log = Log()
    log.write(1, 0, 7, 3)
    log.copied(2, 0, 7, 3)
    log.write(1, 3, 10)
    log.copied(2, 3, 10)
    log.write(2, 4, 11)
    log.duplicate(2, 3, 10)
    log.write(2, 5, 0, epoch=1)
    assert log.is_quiet
    assert log.verdict.checks == 5, "what a follower copies was judged at its leader"


def test_the_largest_sequence_is_followed_by_0() -> None:
    log = Log()
    log.write(1, 0, (1 << 31) - 2, 2)
    log.write(1, 2, 0)
    assert log.is_quiet


def test_a_batch_that_is_written_once_more_by_the_next_leader_is_caught() -> None:
    log = Log()
    log.write(1, 0, 0)
    log.copied(2, 0, 0)
    log.write(2, 1, 0)
    assert log.told == "leader 2 writes sequence 0 once more, of producer 4"
    events = log.verdict.violations[0].events
    assert [event.node for event in events] == [2, 2], "the copy and the second writing"


def test_a_gap_is_caught() -> None:
    log = Log()
    log.write(1, 0, 0, 2)
    log.write(1, 2, 3)
    assert log.told == "leader 1 writes sequence 3 where 2 was due, of producer 4"
    assert log.verdict.violations[0].record == "orders-0 offset 2"


def test_a_new_epoch_begins_with_0_and_an_old_one_is_over() -> None:
    log = Log()
    log.write(1, 0, 0, epoch=1)
    log.write(1, 1, 1, epoch=2)
    assert log.told == "leader 1 writes sequence 1 first in producer epoch 2, of producer 4"
    log = Log()
    log.write(1, 0, 0, epoch=1)
    log.write(1, 1, 0, epoch=0)
    assert log.told == "leader 1 writes producer epoch 0 after epoch 1, of producer 4"


def test_what_was_cut_or_lost_may_be_written_again_and_only_that() -> None:
    log = Log()
    for at in range(3):
        log.write(1, at, at)
    log.truncate(1, 2, 3)
    log.write(1, 2, 2)
    log.add(1, recovered(1, topic="orders"))
    log.write(1, 1, 1)
    assert log.is_quiet
    log.write(1, 2, 3)
    assert log.told == "leader 1 writes sequence 3 where 2 was due, of producer 4"


def test_a_duplicate_stands_where_it_is_said_to_stand() -> None:
    for base, sequence, count, epoch in ((1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 2, 0), (0, 0, 1, 1)):
        log = Log()
        log.write(1, 0, 0)
        log.write(1, 1, 1)
        log.duplicate(1, base, sequence, count, epoch)
        assert "a duplicate that its log does not hold there" in log.told
    log = Log()
    log.duplicate(1, 0, 0)
    assert "a duplicate" in log.told


def test_a_producer_id_is_given_once() -> None:
    log = Log()
    for node, producer_id in ((1, 4), (2, 1004), (1, 5)):
        log.add(node, ev.ProducerIdGiven(client_id="p", producer_id=producer_id, producer_epoch=0))
    assert log.is_quiet
    log.add(2, ev.ProducerIdGiven(client_id="q", producer_id=4, producer_epoch=0))
    assert log.told == "producer id 4 is given twice"


def test_a_quorum_that_forgets_what_was_committed_may_give_an_id_again() -> None:
    log = Log()
    for node in (1, 2):
        log.add(node, ev.ProducerIdGiven(client_id="p", producer_id=4, producer_epoch=0))
    checker = Checker((SequenceInvariants,))
    checker.report.ledger.breaks("A1", log.entries[0].id, "by hand", METADATA)
    checker.feed_all(log.entries)
    assert [line.verdict for line in checker.finish() if line.info.id == "P22"] == [Verdict.EXPECTED]


def test_a_broker_may_have_forgotten_the_producer_of_what_was_deleted() -> None:
    """It began anew and read only what was left of its log; while it remembers, it may answer as before."""
    log = Log()
    log.write(1, 0, 0)
    log.write(1, 1, 1)
    log.add(1, ev.LogStartAdvanced(
        **WHERE, log_start_offset=2, old_log_start_offset=0, high_watermark=2, role="leader"))  # fmt: skip
    log.duplicate(1, 1, 1)
    log.write(1, 2, 1)
    assert log.verdict.verdict is Verdict.HOLDS
    log.write(1, 3, 1)
    assert log.verdict.violations[0].sentence == "leader 1 writes sequence 1 once more, of producer 4"


def test_a_duplicate_of_one_of_the_last_five_and_a_real_gap_are_quiet() -> None:
    log = Log()
    for number in range(6):
        log.write(1, number, number)
    log.duplicate(1, 1, 1)
    log.refuse(1, 0)
    log.refuse(1, 9)
    assert (log.line("P29").verdict, log.line("P29").checks) == (Verdict.HOLDS, 3)


def test_p29_a_leader_that_refuses_one_of_the_last_five() -> None:
    log = Log()
    for number in range(6):
        log.write(1, number, number)
    log.refuse(1, 1)
    assert log.line("P29").violations[0].sentence == (
        "leader 1 refuses sequence 1, which is one of the last five batches that it wrote, of producer 4"
    )


def test_p29_a_leader_that_knows_more_than_five() -> None:
    log = Log()
    for number in range(6):
        log.write(1, number, number)
    log.duplicate(1, 0, 0)
    assert "still knows sequence 0, older than the last five" in log.line("P29").violations[0].sentence


def test_a_batch_that_was_cut_may_be_refused() -> None:
    log = Log()
    log.write(1, 0, 0)
    log.write(1, 1, 1)
    log.truncate(1, 1, 2)
    log.refuse(1, 1)
    assert log.line("P29").verdict is Verdict.HOLDS


class Blocks(Log):
    """Controllers 101 and 102 give blocks of producer ids."""

    def active(self, node: int, epoch: int) -> None:
        self.add(node, ev.ControllerActivated(epoch=epoch))

    def give(self, node: int, start: int, offset: int, epoch: int, *, copies: tuple[int, ...] = ()) -> None:
        self.add(node, ev.ProducerIdsAllocated(broker_id=1, producer_id_start=start, producer_id_count=1000))
        for writer in (node, *copies):
            written = ev.MetadataAppended(
                base_offset=offset, end_offset=offset + 1, epochs=((epoch, offset),), kinds=("ProducerIdsRecord",),
                role="leader" if writer == node else "follower", digests=("aa",),
            )  # fmt: skip
            self.add(writer, written)


def test_blocks_that_follow_each_other_and_one_that_was_lost_with_its_controller_are_quiet() -> None:
    log = Blocks()
    log.active(101, 1)
    log.give(101, 0, 0, 1, copies=(102,))
    log.give(101, 1000, 1, 1)
    log.active(102, 2)
    log.give(102, 1000, 1, 2)
    assert log.line("P28").verdict is Verdict.HOLDS


def test_p28_a_block_that_the_next_controller_should_know() -> None:
    log = Blocks()
    log.active(101, 1)
    log.give(101, 0, 0, 1, copies=(102,))
    log.active(102, 2)
    log.give(102, 500, 1, 2)
    assert log.line("P28").violations[0].sentence == (
        "controller 102 gives broker 1 producer ids from 500 on; all below 1000 were given"
    )
