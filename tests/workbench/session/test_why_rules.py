"""What "why?" shows of rules that a simulated cluster went by."""

from __future__ import annotations

import pytest

from cluster.model.entry import Entry
from cluster.simulation.swarm.seed import run_seed
from workbench.session.recording import Recording
from workbench.session.why import Because, explain

SEED, TROUBLE_S = 2, 4.0


@pytest.fixture(scope="module")
def recording() -> Recording:
    entries: list[Entry] = []
    run_seed(SEED, TROUBLE_S, [entries.extend])
    made = Recording()
    made.extend(entries)
    return made


def first(recording: Recording, name: str, **fields: object) -> tuple[Entry, Because]:
    """The first such event, and the newest link of its chain."""
    for index, entry in enumerate(recording.entries):
        if entry.event.name == name and all(getattr(entry.event, key) == value for key, value in fields.items()):
            return entry, explain(recording, index)[0]
    raise AssertionError(f"seed {SEED} has no {name} with {fields}")


def test_a_cut_of_the_metadata_log_shows_where_the_logs_part(recording: Recording) -> None:
    entry, link = first(recording, "raft.truncated")
    assert link.rule.startswith("truncation_point: yes, cut to ")
    shown = dict(number.split(" = ") for number in link.numbers)
    assert shown["own log end"] == str(entry.event.old_end_offset)  # type: ignore[union-attr]
    assert {"leader's epoch", "which ends at", "own epoch", "own epoch ends at"} <= set(shown)
    assert "ReplicatedLog.truncateToEndOffset" in link.source


def test_a_leader_that_resigns_shows_who_fetched_and_how_many_it_needs(recording: Recording) -> None:
    _, link = first(recording, "raft.role_changed", role="resigned", why="no majority of voters fetched in time")
    assert link.rule == "check_quorum: no, no majority of voters fetched in time"
    shown = dict(number.split(" = ") for number in link.numbers)
    fetched = [voter for voter in shown["voters that fetched"].strip("[]").split(",") if voter]
    assert len(fetched) < int(shown["needed besides itself"])
    assert int(shown["waited_ms"]) > 0
    assert "check" in link.source.lower()


@pytest.mark.parametrize("name", ["raft.high_watermark_advanced", "rep.high_watermark_advanced"])
def test_a_followers_high_watermark_shows_the_leaders_and_its_own_log_end(name: str, recording: Recording) -> None:
    entry, link = first(recording, name, role="follower")
    assert link.rule.startswith("follower_high_watermark: yes, ")
    shown = [int(number.split(" = ")[1]) for number in link.numbers]
    _known, leaders, own_end = shown
    assert entry.event.high_watermark == min(leaders, own_end)  # type: ignore[union-attr]
