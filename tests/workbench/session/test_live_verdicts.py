"""The checker beside the screen says what `workbench check` says, and never calls nothing good."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.invariants.checker import Checker, check
from cluster.invariants.verdicts.verdict import Verdict
from tests.support.traces import story
from tests.support.traces.cut_files import cut_files
from tests.support.worlds.paced_world import TOPIC, Watched, played
from workbench.runs.judgement import Verdicts, judge
from workbench.runs.sealed import OFF, TITLE
from workbench.session import live_verdicts
from workbench.session.live_verdicts import FLOOD_PER_S, FLOOD_REST, LiveVerdicts, more_rest_s
from workbench.session.recording import Recording
from workbench.session.session import Session


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
    made: list[Checker] = []

    def checker() -> Checker:
        made.append(Checker())
        return made[-1]

    monkeypatch.setattr(live_verdicts, "Checker", checker)
    verdicts = LiveVerdicts(recording)
    all_turns(verdicts)
    assert len(made) == 2, "an empty one in place of the one that was fed"
    assert verdicts.judged == len(recording.entries) // 2
    assert "of the first" in verdicts.line[0] and any(line.verdict is Verdict.HOLDS for line in verdicts.table)
