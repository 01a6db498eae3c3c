"""The checker beside the screen says what `workbench check` says, and never calls nothing good."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from weakref import ref

import pytest

from cluster.invariants.checker import Checker, check
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.entry import Entry
from cluster.model.events import LeaderElected, ProcessReady, RunStarted
from tests.support.traces import story
from tests.support.traces.cut_files import cut_files
from tests.support.traces.played import passes, ready
from tests.support.traces.traces import Trace
from tests.support.worlds.paced_world import TOPIC, Watched, played
from workbench.runs.judgement import Verdicts, judge
from workbench.runs.sealed import OFF, TITLE
from workbench.session import live_verdicts
from workbench.session.live_verdicts import FLOOD_PER_S, FLOOD_REST, LiveVerdicts, more_rest_s
from workbench.session.recording import Recording
from workbench.session.session import Session
from workbench.telling.words import plural
from workbench.tui import modes
from workbench.tui.compose import draw_screen
from workbench.tui.panes.status import verdict_of
from workbench.tui.plain.lines import verdict_lines
from workbench.tui.ui_state import UiState


def all_turns(verdicts: LiveVerdicts) -> None:
    while verdicts.turn():
        pass


def test_nothing_judged_is_not_good() -> None:
    verdicts = LiveVerdicts(Recording())
    all_turns(verdicts)
    assert verdicts.line == ("no promise checked yet", "dim")


def test_of_a_bug_hunt_nothing_is_judged(tmp_path: Path) -> None:
    async def play() -> None:
        world = Watched(tmp_path)
        verdicts = LiveVerdicts(world.session.recording)
        await world.send(TOPIC)
        world.session.recording.live.title = f"{TITLE}amber-0000"
        all_turns(verdicts)
        assert verdicts.table == () and verdicts.judged == 0
        assert verdicts.line == (OFF, "dim")

    played(play)


def test_what_it_says_of_a_run_that_is_over_is_what_the_check_says(tmp_path: Path) -> None:
    async def play() -> None:
        world = Watched(tmp_path)
        verdicts = LiveVerdicts(world.session.recording)
        await world.send(TOPIC)
        await world.send("produce orders 20 acks=all")
        await world.send("kill controller")
        world.seconds(2)
        all_turns(verdicts)
        text, tone = verdicts.line
        assert tone == "good" and text == f"{verdicts.count()[Verdict.HOLDS]} promises checked, all kept"
        assert not verdicts.is_final
        await world.session.end_lab()
        all_turns(verdicts)
        assert verdicts.is_final
        assert verdicts.table == judge(world.lab.run_folder).table

    played(play)


def test_a_rule_broken_after_its_assumption_was_is_expected_and_a_warning(tmp_path: Path) -> None:
    async def play() -> None:
        world = Watched(tmp_path)
        verdicts = LiveVerdicts(world.session.recording)
        await world.send("topic orders replicas=1 min-isr=1")
        await world.send("fsync lie leader(orders-0)")
        await world.send("produce orders 20 acks=all")
        world.seconds(0.2)
        await world.send("power-loss leader(orders-0)")
        await world.send("start 1")
        await world.send("start 2")
        await world.send("start 3")
        world.seconds(2)
        all_turns(verdicts)
        found = verdicts.count()
        text, tone = verdicts.line
        assert found[Verdict.EXPECTED] and not found[Verdict.VIOLATED]
        assert tone == "warn" and f"{found[Verdict.EXPECTED]} broken as expected (" in text
        await world.lab.close()

    played(play)


TAIL = ("partition 1|2,3", "produce orders 5 acks=1 retries=no", "kill 1", "heal", 4, "start 1")
UNCLEAN = (
    "kill 3",
    "kill 1",
    4,
    "produce orders 1 acks=1",
    "kill 2",
    "start 1",
    4,
    "elect orders-0 unclean",
    "start 2",
)


@pytest.mark.parametrize(("commands", "lost", "why"), [(TAIL, 5, "acks=1"), (UNCLEAN, 1, "an unclean election")])
def test_records_that_are_lost_are_told_at_once_and_what_allows_it(
    commands: tuple[str | int, ...], lost: int, why: str
) -> None:
    """Beside the red story of five lost records all promises were kept, in green, until the run was over."""
    world = ready(seed=0)
    for command in commands:
        if isinstance(command, int):
            passes(world, float(command))
        else:
            world.do(command)
    passes(world, 3.0)
    recording = Recording()
    recording.extend(world.entries)
    verdicts = LiveVerdicts(recording)
    all_turns(verdicts)
    text, tone = verdicts.line
    words = f"{plural(lost, 'record')} lost: {why} allows it"
    assert (text, tone) == (f"{words}, {verdicts.count()[Verdict.HOLDS]} promises kept", "warn")
    recording.seek(10)
    assert "lost" not in verdicts.line[0], "it was not lost yet at the moment in view"
    recording.go_live()
    at_the_end = LiveVerdicts(recording, is_complete=True)
    all_turns(at_the_end)
    assert "1 broken as expected (C1" in at_the_end.line[0] and at_the_end.line[0].startswith(words)


def test_what_is_violated_comes_before_records_that_are_lost() -> None:
    """At 120 columns the words about lost records pushed it off the line, and only the colour still told of it."""
    world = ready(seed=0)
    for command in TAIL:
        if isinstance(command, int):
            passes(world, float(command))
        else:
            world.do(command)
    passes(world, 3.0)
    recording = Recording()
    recording.extend(world.entries)
    leader, newest = recording.live.quorum_leader, recording.entries[-1]
    other = next(node for node in recording.live.voters if node != leader)
    twice = LeaderElected(epoch=recording.live.quorum_epoch, epoch_start_offset=0, votes=())
    seq = 1 + max(entry.seq for entry in recording.entries if entry.node == other)
    recording.extend([Entry(newest.run, other, 0, seq, newest.t_ns + 1, 0, 0, None, "", None, twice)])
    verdicts = LiveVerdicts(recording)
    all_turns(verdicts)
    text, tone = verdicts.line
    assert tone == "bad" and re.match(r"[0-9]+ VIOLATED \(.*\), 5 records lost: acks=1 allows it, ", text)
    for width in (80, 120):
        assert re.match(r"[0-9]+ VIOLATED \([A-Z]", verdict_of(UiState(recording, verdicts=verdicts), width)[0])


def test_a_violation_is_bad_and_named() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    verdicts = LiveVerdicts(recording, is_complete=True)
    all_turns(verdicts)
    assert verdicts.is_final
    assert verdicts.table == check(recording.entries)
    violated = [line.info.id for line in verdicts.table if line.verdict is Verdict.VIOLATED]
    assert violated, "the story was written to be looked at, not to be sound"
    text, tone = verdicts.line
    assert tone == "bad" and f"{len(violated)} VIOLATED ({violated[0]}" in text


@pytest.mark.parametrize("world", ["processes", "simulated"])
def test_a_deadline_that_real_processes_missed_is_late_and_nobodys_violation(world: str) -> None:
    """What `workbench check` calls late stood in red beside the cluster, and in the table of the rules."""
    trace = Trace()
    trace.add(0, RunStarted(config="{}", world=world, title="by hand"))
    trace.start(1, "broker")
    trace.add(0, ProcessReady(node_id=1, port=0))
    trace.entries[-1].t_ns += 6_000_000_000
    recording = Recording()
    recording.extend(trace.entries)
    verdicts = LiveVerdicts(recording, is_complete=True)
    all_turns(verdicts)
    shown = draw_screen(160, 45, UiState(recording, replay=True, verdicts=verdicts, mode=modes.Verdicts())).text_rows()
    row, spoken = next(row for row in shown if " L8 " in row), "\n".join(verdict_lines(verdicts))
    if world == "simulated":
        assert verdicts.line[1] == "bad" and verdicts.line[0].startswith("1 VIOLATED (L8), ")
        assert "VIOLATED" in row and ": broken: " in spoken
    else:
        assert verdicts.line[1] == "warn" and verdicts.line[0].endswith("1 late on this machine (L8)")
        assert "  late " in row and ": late on this machine: " in spoken
        assert "VIOLATED" not in "\n".join(shown)


def test_beside_a_moment_in_the_past_it_says_whose_verdict_it_is() -> None:
    """Two promises were told as broken before anything had broken them."""
    world = ready(seed=0)
    for command in TAIL:
        if isinstance(command, int):
            passes(world, float(command))
        else:
            world.do(command)
    passes(world, 3.0)
    recording = Recording()
    recording.extend(world.entries)
    living, over = LiveVerdicts(recording), LiveVerdicts(recording, is_complete=True)
    all_turns(living)
    all_turns(over)
    assert not living.line[0].startswith("by now: ") and not over.line[0].startswith("whole run: ")
    recording.seek(len(recording.entries) // 2)
    assert living.line[0].startswith("by now: ") and over.line[0].startswith("whole run: ")
    narrow = draw_screen(80, 24, UiState(recording, replay=True, verdicts=over)).text_rows()[-2]
    assert "whole run: " in narrow and " expected (C1" in narrow


def test_while_it_lags_behind_it_is_not_good(tmp_path: Path) -> None:
    async def play() -> None:
        world = Watched(tmp_path)
        verdicts = LiveVerdicts(world.session.recording)
        await world.send(TOPIC)
        all_turns(verdicts)
        assert verdicts.line[1] == "good"
        await world.send("produce orders 20 acks=all")
        world.seconds(1)
        text, tone = verdicts.line
        assert tone == "dim" and "events to judge" in text
        all_turns(verdicts)
        assert verdicts.line[1] == "good"
        await world.lab.close()

    played(play)


def test_another_run_is_judged_from_its_beginning(tmp_path: Path) -> None:
    recording = Recording()
    recording.extend(story.full_story())
    verdicts = LiveVerdicts(recording)
    all_turns(verdicts)
    recording.reset()
    all_turns(verdicts)
    assert verdicts.judged == 0 and verdicts.line[1] == "dim"


def test_an_entry_that_breaks_the_checker_stops_the_verdicts_and_not_the_screen() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    verdicts = LiveVerdicts(recording)
    recording.entries.append(None)  # type: ignore[arg-type]
    all_turns(verdicts)
    text, tone = verdicts.line
    assert tone == "bad" and "the checker stopped after" in text


def test_a_recording_whose_files_end_at_different_times_is_judged_up_to_the_first_end(tmp_path: Path) -> None:
    async def play() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        await world.send("produce orders 20 acks=all")
        await world.send("kill controller")
        world.seconds(2)
        await world.session.end_lab()
        for seed in range(5):
            folder = cut_files(world.lab.run_folder, tmp_path / f"cut{seed}", seed)
            judgement = judge(folder)
            broken = [line.info.id for line in judgement.table if line.verdict is Verdict.VIOLATED]
            assert not broken and judgement.cut, (seed, broken)
            assert "1 recording ends early and judged up to there" in Verdicts((judgement,)).line
            session = Session(folder, None)
            session.load()
            verdicts = LiveVerdicts(session.recording, is_complete=True)
            all_turns(verdicts)
            assert verdicts.is_final and verdicts.table == judgement.table
            assert verdicts.line[0].endswith("up to where the recording is cut") and verdicts.line[1] == "dim"
            session.recording.close()

    played(play)


def test_in_a_flood_of_events_judging_takes_a_small_part_of_the_time() -> None:
    assert more_rest_s(FLOOD_PER_S // 100, 0.01, 0.003, 100_000) == 0
    took_s, whole_s = 0.003, 0.02
    rest_s = more_rest_s(10 * FLOOD_PER_S, whole_s, took_s, 100)
    assert took_s / (whole_s + rest_s) <= 1 / FLOOD_REST
    assert more_rest_s(10 * FLOOD_PER_S, whole_s, 0.0001, 100) == 0, "what is cheap goes on"
    assert more_rest_s(10 * FLOOD_PER_S, whole_s, 0.0001, 100_000) >= 0.5, "what would be read again waits"


def test_nothing_is_judged_while_a_recording_is_read_and_nothing_of_a_very_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recording = Recording()
    recording.extend(story.full_story())
    verdicts = LiveVerdicts(recording)
    verdicts.waits = True
    all_turns(verdicts)
    assert verdicts.judged == 0 and verdicts.line[0] == "no promise checked yet"
    verdicts.waits = False
    monkeypatch.setattr(live_verdicts, "LONGEST", len(recording.entries) - 1)
    all_turns(verdicts)
    assert verdicts.judged == 0 and "workbench check judges them" in verdicts.line[0]
    monkeypatch.undo()
    all_turns(verdicts)
    assert verdicts.judged == len(recording.entries), "what is longer by now was judged as it came"


def test_what_the_checker_remembers_goes_once_nothing_more_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = Recording()
    recording.extend(story.full_story())
    monkeypatch.setattr(live_verdicts, "EVENTS_MAX", len(recording.entries) // 2)
    made: list[ref[Checker]] = []

    def checker() -> Checker:
        one = Checker()
        made.append(ref(one))
        return one

    monkeypatch.setattr("cluster.invariants.checker.Checker", checker)
    verdicts = LiveVerdicts(recording)
    all_turns(verdicts)
    gc.collect()
    assert made and made[0]() is None, "the one that was fed is gone"
    assert verdicts.judged == len(recording.entries) // 2
    assert "of the first" in verdicts.line[0] and any(line.verdict is Verdict.HOLDS for line in verdicts.table)
