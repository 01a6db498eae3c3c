"""Decisions of the quorum that do not follow from their numbers."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.decided import Case, cases, is_wrong, judged
from tests.support.traces.traces import Trace

VOTE = {"epoch": 3, "candidate_id": 8, "candidate_last_epoch": 2, "candidate_last_offset": 9}
OWN = {"last_epoch": 2, "last_offset": 9}
LEVEL = {"their log end": "9@e2", "own log end": "9@e2", "epoch": 3}
BEHIND = ({"their log end": "8@e2"}, {"their log end": "10@e1"})
NEWER = ({"their log end": "10@e2"}, {"their log end": "0@e3"})


@cases(
    Case("grant_vote", ev.VoteGranted(pre_vote=False, **VOTE, **OWN), LEVEL, BEHIND, NEWER),
    Case("grant_pre_vote", ev.VoteGranted(pre_vote=True, **VOTE, **OWN), LEVEL, BEHIND, NEWER),
    Case(
        "grant_vote",
        ev.VoteRejected(pre_vote=False, why="", **VOTE, **OWN),
        LEVEL | BEHIND[0],
        (LEVEL, *NEWER),
        BEHIND,
        granted=False,
    ),
    Case(
        "grant_pre_vote",
        ev.VoteRejected(pre_vote=True, why="", **VOTE, **OWN),
        LEVEL | BEHIND[0],
        (LEVEL, *NEWER),
        BEHIND,
        granted=False,
    ),
    Case(
        "count_votes",
        ev.VoteReceived(epoch=3, voter_id=8, pre_vote=False, granted=True, granted_count=2, rejected_count=0, needed=2),
        {"granted": 2, "rejected": 0, "needed": 2},
        ({"granted": 1},),
        ({"granted": 3},),
    ),
    Case(
        "check_quorum",
        ev.RoleChanged(role="resigned", epoch=3, leader_id=-1, voted_for=-1, why=""),
        {"voters that fetched": [8], "needed besides itself": 2, "voters": 5},
        ({"voters that fetched": [8, 9]}, {"needed besides itself": 4}, {"voters": 6}),
        ({"voters that fetched": []}, {"needed besides itself": 3}),
        granted=False,
    ),
    Case(
        "advance_high_watermark",
        ev.MetadataHighWatermarkAdvanced(
            epoch=3, high_watermark=5, role="leader", log_end_offsets=((7, 6), (8, 5), (9, 0))
        ),
        {"majority offset": 5, "epoch start": 4, "high watermark": 4},
        ({"epoch start": 5}, {"high watermark": 5}),
    ),
    Case(
        "truncation_point",
        ev.MetadataTruncated(end_offset=5, old_end_offset=9, high_watermark=3, why="diverging"),
        {"leader's epoch": 2, "which ends at": 5, "own epoch": 2, "own epoch ends at": 7, "own log end": 9},
        ({"which ends at": 6}, {"own epoch ends at": 4}, {"own epoch": 1}, {"own log end": 8}),
        ({"own epoch": 1, "own epoch ends at": 5}, {"own epoch": -1, "own epoch ends at": -1}),
    ),
    Case(
        "diverging_epoch",
        ev.MetadataDiverged(
            replica_id=8, fetch_offset=9, last_fetched_epoch=2, diverging_epoch=2, diverging_end_offset=8
        ),
        {"fetch offset": 9, "last fetched epoch": 2, "leader has epoch": 2, "which ends at": 8},
        ({"which ends at": 9}, {"fetch offset": 8}),
        ({"leader has epoch": 1, "which ends at": 9},),
    ),
)
def test_a_decision_of_the_quorum_follows_from_its_numbers(case: Case) -> None:
    judged("R30", case)


TWO = "7:a, 8:b"


def changed(*voters: int) -> ev.VotersChanged:
    return ev.VotersChanged(
        epoch=3, offset=9, voters=voters, directories=("a",) * len(voters), directory_id="a", why=""
    )


def refused(kind: str, error: ErrorCode) -> ev.VoterChangeRefused:
    return ev.VoterChangeRefused(kind=kind, voter_id=8, directory_id="b", error=error, why="")


@cases(
    Case(
        "snapshot_due",
        ev.SnapshotWritten(end_offset=9, epoch=3, size_bytes=9, record_count=1, digest=""),
        {"bytes applied since": 500, "bytes between snapshots": 500, "age_ms": 9, "interval_ms": 10},
        ({"bytes applied since": 499},),
        ({"bytes applied since": 0, "age_ms": 10}, {"bytes applied since": 0, "none is left": 1}),
    ),
    Case(
        "snapshot_to_send",
        ev.SnapshotOffered(
            replica_id=8, fetch_offset=4, last_fetched_epoch=3, log_start_offset=5, end_offset=9, epoch=3
        ),
        {
            "fetch offset": 4,
            "last fetched epoch": 3,
            "log start": 5,
            "oldest snapshot": "5@e2",
            "newest snapshot": "9@e3",
        },
        ({"log start": 3}, {"log start": 4}, {"newest snapshot": "8@e3"}, {"newest snapshot": "9@e2"}),
        (
            {"log start": 4, "oldest snapshot": "4@e2"},
            {"log start": 0, "fetch offset": 0},
            {"log start": 3, "last fetched epoch": 1},
        ),
    ),
    Case(
        "may_delete_oldest",
        ev.MetadataLogStartAdvanced(log_start_offset=9, old_log_start_offset=0, log_end_offset=9),
        {"log and snapshots, bytes": 101, "retention, bytes": 100, "age of the oldest, ms": 9, "retention_ms": 9},
        ({"log and snapshots, bytes": 100},),
        ({"log and snapshots, bytes": 1, "age of the oldest, ms": 10},),
    ),
    Case(
        "may_remove_voter",
        changed(7),
        {"to remove": "8:b", "voters": TWO},
        ({"to remove": "8:c"}, {"voters": "7:a, 8:b, 9:c"}),
    ),
    Case("may_remove_voter", changed(8, 9), {"to remove": "7", "voters": "7, 8, 9"}, ({"voters": "8, 9"},)),
    Case(
        "may_add_voter",
        refused("add", ErrorCode.DUPLICATE_VOTER),
        {"new voter": "8:c", "voters": TWO, "is caught up": 1},
        ({"new voter": "9:c"},),
        granted=False,
    ),
    Case(
        "may_add_voter",
        refused("add", ErrorCode.REQUEST_TIMED_OUT),
        {"new voter": "9:c", "voters": TWO, "is caught up": 0},
        ({"is caught up": 1},),
        granted=False,
    ),
    Case(
        "may_remove_voter",
        refused("remove", ErrorCode.VOTER_NOT_FOUND),
        {"to remove": "8:c", "voters": TWO},
        ({"to remove": "8:b"},),
        ({"to remove": "8:b", "voters": "8:b"},),
        granted=False,
    ),
    Case(
        "may_change_voters",
        refused("add", ErrorCode.REQUEST_TIMED_OUT),
        {"voters stand at": 9, "high watermark": 9},
        ({"high watermark": 10},),
        ({"high watermark": -1},),
        granted=False,
    ),
    Case(
        "must_leave_office",
        ev.RoleChanged(role="resigned", epoch=3, leader_id=7, voted_for=7, why=""),
        {"high watermark": 10, "change at": 9},
        ({"high watermark": 9},),
    ),
)
def test_a_decision_about_voters_and_snapshots_follows_from_its_numbers(case: Case) -> None:
    judged("R30", case)


def joining(epoch: int) -> Trace:
    """Node 7 leads epoch 3, and 9 has copied a record of this epoch."""
    trace = Trace()
    trace.start(7), trace.start(9)
    trace.add(7, ev.RoleChanged(role="leader", epoch=3, leader_id=7, voted_for=7, why=""))
    trace.add(9, ev.MetadataAppended(base_offset=0, end_offset=1, epochs=((epoch, 0),), kinds=(), role="observer"))
    return trace


ADDED = Case(
    "may_add_voter",
    changed(7, 8, 9),
    {"new voter": "9:c", "voters": TWO, "is caught up": 1},
    ({"new voter": "8:c"}, {"voters": "7:a"}, {"is caught up": 0}),
)


def test_who_joins_the_voters_has_caught_up_with_this_leader() -> None:
    judged("R30", ADDED, trace=joining(3))
    judged("R30", ADDED, trace=joining(4))
    is_wrong("R30", ADDED, trace=joining(2))
    is_wrong("R30", ADDED)


def test_of_a_disk_that_was_replaced_since_nobody_knows_what_it_had() -> None:
    trace = joining(2)
    trace.add(9, ev.VotersChanged(epoch=0, offset=-1, voters=(), directories=(), directory_id="new", why=""))
    judged("R30", ADDED, trace=trace)


def following() -> Trace:
    trace = Trace()
    trace.start(7)
    trace.add(7, ev.RoleChanged(role="follower", epoch=3, leader_id=9, voted_for=-1, why=""))
    return trace


HEARS = "has fetched from a leader"


def test_who_hears_from_its_leader_refuses_a_pre_vote_and_nobody_else() -> None:
    """Source: KIP-996. What does not say whether it has fetched is of an older version."""
    refused_one = ev.VoteRejected(pre_vote=True, why="", **VOTE, **OWN)
    judged("R30", Case("grant_pre_vote", refused_one, LEVEL | {HEARS: 1}, ({HEARS: 0},), (LEVEL,), granted=False),
           trace=following())  # fmt: skip
    granted_one = ev.VoteGranted(pre_vote=True, **VOTE, **OWN)
    judged("R30", Case("grant_pre_vote", granted_one, LEVEL | {HEARS: 0}, ({HEARS: 1},)), trace=following())
