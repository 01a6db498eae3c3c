"""Each sealed bug is shown by a script of at most eight commands, and by no script on the sound cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from workbench.challenges.bugs.sealed import SEALED, Sealed
from workbench.challenges.hunt import RULES, read_hunt, seal_logs, sealed_cluster
from workbench.challenges.playing import play_script
from workbench.challenges.solution import count_commands
from workbench.runs.judgement import judge_all
from workbench.runs.launch import WorldChoice

SCRIPTS = Path(__file__).parent / "hunts"
SIMULATED = WorldChoice(simulated=True, seed=0)
COMMANDS_MAX = 8
SHOWN = {
    "clients/answers-nobody": ("L4", "in_calm"),
    "clients/calls-doubt-failure": ("C3", "zombie"),
    "clients/never-fences": ("L10", "power_loss"),
    "groups/gives-what-others-have": ("GR11", "second_member"),
    "groups/takes-any-commit": ("GR5", "stale_commit"),
    "quorum/applies-uncommitted": ("R10", "power_loss"),
    "quorum/commits-alone": ("R11", "plain_run"),
    "quorum/counts-anybody": ("L12", "halves"),
    "quorum/disturbs-its-leader": ("R19", "quorum_restart"),
    "quorum/follows-without-its-vote": ("R20", "plain_run"),
    "quorum/forgets-its-vote": ("R2", "quorum_restart"),
    "quorum/never-persists": ("R2", "quorum_restart"),
    "quorum/no-pre-vote": ("R18", "plain_run"),
    "quorum/small-majority": ("R3", "halves"),
    "quorum/votes-before-disk": ("R6", "plain_run"),
    "quorum/votes-twice": ("R1", "even_quorum"),
    "quorum/wakes-as-candidate": ("R16", "halves"),
    "replication/answers-at-once": ("P18", "plain_run"),
    "replication/commits-without-followers": ("P6", "plain_run"),
    "replication/counts-the-furthest": ("P3", "plain_run"),
    "replication/cuts-too-much": ("P15", "zombie"),
    "replication/elects-anybody": ("P1", "last_of_two"),
    "replication/elects-nobody-else": ("L2", "last_of_two"),
    "replication/ends-epochs-late": ("P14", "alone"),
    "replication/fenced-joins": ("P10", "power_loss"),
    "replication/follower-runs-ahead": ("P5", "power_loss"),
    "replication/joins-early": ("P12", "last_of_two"),
    "replication/keeps-the-fenced": ("P10", "fail_over"),
    "replication/keeps-the-restarted": ("P23", "last_of_two"),
    "replication/lets-nobody-in": ("L3", "laggard"),
    "replication/never-diverges": ("P16", "alone"),
    "replication/same-leader-epoch": ("P11", "last_of_two"),
    "replication/shrinks-at-once": ("P6", "slow_follower"),
    "replication/skips-partition-epochs": ("P11", "power_loss"),
    "replication/takes-every-sequence": ("P22", "retry"),
    "replication/trusts-the-crashed": ("P23", "last_of_two"),
    "storage/fsync-one-late": ("P21", "power_loss"),
    "storage/kill-loses-appends": ("P1", "all_die"),
    "storage/no-directory-sync": ("P21", "power_loss"),
}
"""For each bug the rule that it breaks, and the script that shows it."""


def _violated(script: Path, home: Path) -> tuple[bool, list[str], Path]:
    played = play_script(read_hunt(script), "x", home, SIMULATED)
    return played.held, judge_all(played.folders).by_verdict()[Verdict.VIOLATED], played.folders[-1]


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.txt")), ids=lambda path: path.stem)
def test_the_sound_cluster_plays_a_script_and_breaks_no_rule(script: Path, tmp_path: Path) -> None:
    held, broken, _ = _violated(script, tmp_path)
    assert held and broken == []
    assert count_commands(read_hunt(script)) <= COMMANDS_MAX


def test_every_sealed_bug_has_its_script_and_every_script_its_bug() -> None:
    assert set(SHOWN) == {item.bug.id for item in SEALED} and len(SHOWN) >= 30
    assert {script for _, script in SHOWN.values()} == {path.stem for path in SCRIPTS.glob("*.txt")}
    assert {rule for rule, _ in SHOWN.values()} <= set(RULES)


@pytest.mark.parametrize("sealed", SEALED, ids=lambda item: item.bug.id)
def test_a_sealed_bug_is_shown_by_its_script_and_gives_itself_away_by_nothing_else(
    sealed: Sealed, tmp_path: Path
) -> None:
    rule, script = SHOWN[sealed.bug.id]
    with sealed_cluster(sealed):
        _, broken, folder = _violated(SCRIPTS / f"{script}.txt", tmp_path)
    seal_logs(folder)
    assert rule in broken
    left = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    patches = [change.__name__.encode() for _, _, change in sealed.bug.patches]
    for word in (b"planted", b"workbench/challenges", b"challenges/bugs", sealed.bug.name.encode(), *patches):
        assert word not in left, word
