"""The swarm catches every planted bug, and the rules that are meant for it say so."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from cluster.invariants.all_invariants import INVARIANTS
from tests.support.bugs.all_bugs import BUGS
from tests.support.bugs.planted import PlantedBug, hunt, planted
from tests.support.bugs.voter_bugs import VOTER_BUGS

SEEDS = range(1, 41)
SHOWN = {
    "R1": ("quorum/small-majority", 26),
    "R2": ("quorum/votes-twice", 8),
    "R3": ("quorum/small-majority", 1),
    "R4": ("quorum/votes-for-short-logs", 8),
    "R5": ("quorum/forgets-everything", 1),
    "R6": ("quorum/votes-before-disk", 1),
    "R7": ("quorum/takes-back-its-record", 1),
    "R8": ("quorum/never-diverges", 8),
    "R9": ("quorum/votes-for-short-logs", 8),
    "R10": ("quorum/applies-uncommitted", 1),
    "R11": ("quorum/commits-alone", 1),
    "R12": ("quorum/cuts-too-much", 8),
    "R13": ("quorum/numbers-all-alike", 8),
    "R14": ("quorum/small-majority", 26),
    "R15": ("quorum/snapshot-past-its-image", 6),
    "R16": ("quorum/wakes-as-candidate", 1),
    "R17": ("quorum/all-is-committed", 1),
    "R18": ("quorum/no-pre-vote", 1),
    "R19": ("quorum/disturbs-its-leader", 1),
    "R20": ("quorum/follows-without-its-vote", 1),
    "R21": ("quorum/runs-ahead-of-its-log", 1),
    "R30": ("quorum/small-majority", 1),
    "P1": ("replication/counts-what-is-sent", 73),
    "P2": ("replication/counts-what-is-sent", 73),
    "P3": ("replication/commits-without-followers", 1),
    "P4": ("replication/commits-without-followers", 1),
    "P5": ("replication/follower-runs-ahead", 1),
    "P6": ("replication/commits-without-followers", 1),
    "P7": ("replication/counts-what-is-sent", 1),
    "P8": ("replication/commits-below-the-minimum", 15),
    "P9": ("replication/counts-what-is-sent", 73),
    "P10": ("replication/keeps-the-fenced", 1),
    "P11": ("replication/skips-partition-epochs", 1),
    "P12": ("replication/joins-early", 6),
    "P13": ("replication/stamps-the-epoch-before", 1),
    "P14": ("replication/ends-epochs-late", 1),
    "P15": ("replication/cuts-too-much", 4),
    "P16": ("replication/never-diverges", 1),
    "P17": ("replication/leaves-gaps", 1),
    "P18": ("replication/no-min-insync", 15),
    "P19": ("replication/answers-at-once", 28),
    "P20": ("storage/takes-rotten-bytes", 1),
    "P21": ("storage/fsync-one-late", 15),
    "P22": ("replication/takes-every-sequence", 4),
    "P23": ("replication/trusts-the-crashed", 62),
    "P24": ("clients/deletes-one-more", 1),
    "P25": ("replication/keeps-its-high-watermark", 22),
    "P26": ("replication/keeps-the-eligible", 1),
    "P27": ("replication/takes-old-proposals", 1),
    "P28": ("replication/forgets-half-a-block", 7),
    "P29": ("replication/keeps-one-batch", 7),
    "P30": ("replication/commits-with-half", 3),
    "P31": ("replication/elects-with-one", 4),
    "P32": ("replication/lets-one-more-go", 10),
    "P36": ("replication/follower-shows-its-tail", 92),
    "P37": ("replication/keeps-the-oldest", 84),
    "P38": ("storage/forgets-a-batch", 110),
    "P40": ("replication/follower-runs-ahead", 1),
    "P41": ("replication/takes-old-proposals", 1),
    "C8": ("clients/sends-the-first-again", 1),
    "C9": ("clients/leaves-the-second-out", 1),
    "C11": ("clients/turns-around", 1),
    "L5": ("clients/hides-the-newest", 94),
    "L10": ("clients/never-fences", 4),
}
"""For each rule a bug that breaks it, and the seed that shows it; where it does not, others are tried."""


@pytest.mark.first(bug=list({bug.part: bug for bug in reversed(BUGS)}.values()))
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.part}-{bug.name}")
def test_a_planted_bug_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS))
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"


def test_every_rule_of_quorum_and_replication_that_has_something_to_look_at_is_broken_by_a_bug() -> None:
    built = {rule for rule in INVARIANTS if rule[0] in "RP"}
    of_voters = {rule for bug in VOTER_BUGS for rule in bug.breaks if rule in ("R24", "R25", "R26")}
    assert {rule for rule in SHOWN if rule[0] in "RP"} | of_voters == built


@pytest.mark.slow
@pytest.mark.parametrize("rule", SHOWN)
def test_a_rule_is_broken_by_its_bug(rule: str) -> None:
    name, seed = SHOWN[rule]
    bug = next(bug for bug in BUGS if f"{bug.part}/{bug.name}" == name)
    found, seen = hunt(replace(bug, breaks=frozenset({rule})), (seed, *SEEDS))
    assert found is not None, f"{bug.what}: {rule} is not among {sorted(seen)}"


def test_a_bug_is_gone_after_its_block() -> None:
    for bug in BUGS:
        before = [place.__dict__[name] for place, name, _ in bug.patches]
        with planted(bug):
            inside = [place.__dict__[name] for place, name, _ in bug.patches]
        after = [place.__dict__[name] for place, name, _ in bug.patches]
        assert after == before
        assert all(one is not other for one, other in zip(inside, before, strict=True)), bug.name


def test_there_are_bugs_of_every_part_and_each_has_a_name() -> None:
    assert len({(bug.part, bug.name) for bug in BUGS}) == len(BUGS)
    parts = Counter(bug.part for bug in BUGS)
    assert min(parts["quorum"], parts["replication"]) >= 10
    assert min(parts["storage"], parts["clients"]) >= 4
