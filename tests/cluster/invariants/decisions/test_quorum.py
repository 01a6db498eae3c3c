"""Decisions of the quorum that do not follow from their numbers."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.decided import Case, cases, judged

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
