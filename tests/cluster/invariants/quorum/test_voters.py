"""When voters may change, and who has to know of it."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.identifiers import Offset
from tests.support.traces.quorum_traces import VOTERS, QuorumTrace

DISKS = {node: f"disk-{node}" for node in range(101, 107)}


class DynamicTrace(QuorumTrace):
    """A quorum whose voters stand in the log."""

    def __init__(self, *, waits: bool = True) -> None:
        super().__init__(dynamic_quorum=True, voter_change_waits=waits)
        for node in VOTERS:
            self.voters_are(node, VOTERS, -1)
        self.elect(101, 1, 102)

    def voters_are(self, node: int, voters: tuple[int, ...], offset: Offset) -> None:
        """What a node says that it goes by."""
        disks = tuple(DISKS[voter] for voter in voters)
        told = ev.VotersChanged(
            epoch=self.epochs[node], offset=offset, voters=voters, directories=disks, directory_id=DISKS[node], why="x"
        )
        self.add(node, told)

    def change(self, *voters: int) -> Offset:
        """The leader writes other voters; where they stand."""
        offset = self.end(101)
        self.write(101, f"d{offset:07d}")
        self.voters_are(101, voters, offset)
        return offset


def test_voters_that_change_one_by_one_after_a_commit_are_fine() -> None:
    trace = DynamicTrace()
    trace.fetch(102, 101)
    trace.advance(101, 1)
    trace.change(101, 102, 103, 104)
    assert trace.violations("R25") == ()
    assert trace.verdicts()["R25"].verdict is Verdict.HOLDS


def test_r25_before_anything_of_the_epoch_is_committed() -> None:
    trace = DynamicTrace()
    trace.change(101, 102, 103, 104)
    assert trace.violations("R25")[0].sentence == (
        "leader 101 changes the voters to 101, 102, 103, 104 before anything of its epoch 1 was committed"
    )


def test_without_the_correction_of_2015_that_is_expected() -> None:
    trace = DynamicTrace(waits=False)
    trace.change(101, 102, 103, 104)
    assert trace.verdicts()["R25"].verdict is Verdict.EXPECTED


def test_r25_two_at_once() -> None:
    trace = DynamicTrace()
    trace.fetch(102, 101)
    trace.advance(101, 1)
    trace.change(101, 102, 103, 104, 105)
    assert "2 voters at once" in trace.violations("R25")[0].sentence


def test_r25_while_the_change_before_is_not_committed() -> None:
    trace = DynamicTrace()
    trace.fetch(102, 101)
    trace.advance(101, 1)
    offset = trace.change(101, 102, 103, 104)
    trace.change(101, 102, 103, 104, 105)
    assert f"at offset {offset}, was committed" in trace.violations("R25")[0].sentence


def test_r24_voters_that_the_log_does_not_name() -> None:
    trace = DynamicTrace()
    trace.fetch(102, 101)
    trace.advance(101, 1)
    offset = trace.change(101, 102, 103, 104)
    trace.fetch(102, 101)
    trace.voters_are(102, (101, 102, 103, 104), offset)
    assert trace.violations("R24") == ()
    trace.voters_are(103, (101, 102, 103, 104), offset)
    assert trace.violations("R24")[0].sentence == (
        f"node 103 goes by voters 101, 102, 103, 104 of offset {offset}; its log says 101, 102, 103 of offset -1"
    )


def wrote(trace: DynamicTrace, node: int, end: Offset, *voters: int) -> None:
    """A snapshot that names these."""
    disks = tuple(DISKS[voter] for voter in voters)
    trace.add(
        node,
        ev.SnapshotWritten(
            end_offset=end, epoch=1, size_bytes=9, record_count=1, digest="aa", voters=voters, directories=disks
        ),
    )


def changed() -> tuple[DynamicTrace, Offset]:
    """104 votes since a record at that offset; 101 has committed it, 103 has been away."""
    trace = DynamicTrace()
    trace.fetch(102, 101)
    trace.advance(101, 1)
    offset = trace.change(101, 102, 103, 104)
    trace.fetch(102, 101)
    trace.voters_are(102, (101, 102, 103, 104), offset)
    trace.advance(101, offset + 1)
    return trace, offset


def test_a_snapshot_names_who_is_in_force_where_it_ends() -> None:
    trace, offset = changed()
    wrote(trace, 101, offset, *VOTERS)
    wrote(trace, 101, offset + 1, 101, 102, 103, 104)
    assert trace.violations("R26") == ()
    assert trace.verdicts()["R26"].verdict is Verdict.HOLDS
    wrote(trace, 101, offset, 101, 102, 103, 104)
    assert trace.violations("R26")[0].sentence == (
        f"node 101 wrote a snapshot of [0,{offset}) that names voters 101, 102, 103, 104; "
        "its log says 101, 102, 103 of offset -1"
    )


def test_r26_a_snapshot_that_names_nobody() -> None:
    trace, offset = changed()
    wrote(trace, 101, offset + 1)
    assert "names voters nobody" in trace.violations("R26")[0].sentence


def install(trace: DynamicTrace, end: Offset) -> None:
    """Node 103 fetches a snapshot that ends there."""
    event = ev.SnapshotInstalled(
        end_offset=end, epoch=1, size_bytes=9, old_log_start_offset=0, old_end_offset=trace.end(103), leader_id=101
    )
    trace.add(103, event)
    trace.logs[103] = [batch for batch in trace.logs[101] if batch[1] <= end]


def load(trace: DynamicTrace, end: Offset) -> None:
    kept = ((end, 1),)
    trace.add(103, ev.SnapshotLoaded(end_offset=end, epoch=1, record_count=1, digest="aa", kept=kept))


def test_voters_that_a_snapshot_names_stand_at_its_last_offset() -> None:
    trace, offset = changed()
    install(trace, offset + 1)
    trace.voters_are(103, (101, 102, 103, 104), offset)
    load(trace, offset + 1)
    assert trace.violations("R24") == ()
    trace.voters_are(103, (101, 102, 103, 104), offset - 1)
    assert trace.violations("R24"), "no snapshot of it ends there"


def test_r24_who_loads_a_snapshot_and_goes_on_with_the_voters_that_it_knew() -> None:
    trace, offset = changed()
    install(trace, offset + 1)
    assert trace.violations("R24") == ()
    load(trace, offset + 1)
    assert trace.violations("R24")[0].sentence.startswith("node 103 goes by voters 101, 102, 103 of offset -1")


def test_r18_a_pre_vote_counts_with_the_disk_that_its_voter_had_then() -> None:
    """Found by the swarm, seed 40609 with all parts: a voter said yes, and then its disk was replaced."""
    trace = DynamicTrace()
    trace.exit(101)
    trace.pre_vote(102, 103)
    trace.add(
        103,
        ev.VotersChanged(epoch=1, offset=-1, voters=(), directories=(), directory_id="another disk", why="x"),
    )
    trace.stand(102, 2)
    assert trace.violations("R18") == ()
    assert trace.verdicts()["R18"].verdict is Verdict.HOLDS
