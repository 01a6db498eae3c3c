"""Whose word on voters counts, and what a log makes of it."""

from __future__ import annotations

from cluster.invariants.ghost.log import GhostLog, Lineage
from cluster.invariants.ghost.parts import NodeGhost, PartitionGhost
from cluster.invariants.ghost.voters import Electorate, VoterRecords, Voting

FIRST = Electorate((101, 102), ("a", "b"))
SECOND = Electorate((101, 102, 103), ("a", "b", "c"), 4)
OTHER = Electorate((102,), ("b",), 4)


def log_of(*epochs: int) -> GhostLog:
    """A log with one record of each of these epochs."""
    lineage = Lineage()
    log = GhostLog()
    lineage.take_in(log, [(offset, 1, epoch, f"{epoch:08x}") for offset, epoch in enumerate(epochs)], 0)
    return log


def test_a_majority_is_of_numbers_with_their_disks() -> None:
    assert SECOND.has_majority({101: "a", 103: "c"})
    assert not SECOND.has_majority({101: "a", 103: "new"})
    assert SECOND.has(102, "b") and not SECOND.has(102, "new")
    assert not FIRST.has_majority({101: "a"})


def test_a_record_counts_for_those_whose_log_holds_it() -> None:
    records = VoterRecords()
    for node, disk in ((101, "a"), (102, "b")):
        records.note(node, disk, 0, FIRST, is_leader=False)
    records.note(101, "a", 1, SECOND, is_leader=True)
    records.note(102, "b", 2, OTHER, is_leader=True)
    assert records.of(101, log_of(1, 1, 1, 1)) == FIRST
    assert records.of(101, log_of(1, 1, 1, 1, 1)) == SECOND
    assert records.of(101, log_of(1, 1, 1, 1, 2)) == OTHER, "another leader wrote at the same offset"


def test_a_follower_is_not_believed() -> None:
    records = VoterRecords()
    records.note(101, "a", 1, SECOND, is_leader=False)
    assert records.of(101, log_of(1, 1, 1, 1, 1)) == Electorate()
    assert records.disks == {101: "a"}


def test_a_voter_that_has_said_nothing_yet_leads_nothing() -> None:
    """A run that is followed while it begins has events of some nodes only."""
    nodes = {node: NodeGhost() for node in (101, 102)}
    voting = Voting(nodes, PartitionGhost())
    voting.voters = (101, 102, 103)
    assert voting.leader_within({101, 102, 103}) is None
    for known in nodes.values():
        known.epoch, known.leader_id = 1, 101
    nodes[101].role = "leader"
    assert voting.leader_within({101, 102, 103}) == 101
