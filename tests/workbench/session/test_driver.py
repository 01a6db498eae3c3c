"""On by one event, on to the next mark, and what halts the clock by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.paced_world import TOPIC, Watched, played
from workbench.session import driver


def test_one_event_more_is_at_least_one_and_then_time_is_halted(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        for _ in range(20):
            moves = world.lab.stepper.moves
            before = len(world.session.recording.entries)
            world.driver.want("event")
            world.until(lambda before=before: len(world.session.recording.entries) > before)  # type: ignore[misc]
            after = len(world.session.recording.entries)
            world.turn()
            assert world.pace.is_halted and len(world.session.recording.entries) == after
            assert world.lab.stepper.moves > moves
        await world.lab.close()

    played(story)


def test_the_next_mark_halts_time_at_that_very_mark(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        said: list[str] = []
        world.driver.say = said.append
        await world.send(TOPIC)
        await world.send("kill controller")
        world.pace.is_halted = True
        world.turn()
        marks = world.session.recording.timeline.marks
        known = len(marks)
        world.driver.want("mark")
        world.turn()
        assert world.pace.runs_to == "the next mark"
        world.until(lambda: len(marks) > known)
        world.turn()
        assert world.pace.runs_to == "" and world.pace.is_halted
        assert len(marks) == known + 1 and marks[-1].glyph == "V" and said == [marks[-1].text]
        assert marks[-1].place >= len(world.session.recording.entries) - 10
        await world.lab.close()

    played(story)


def test_a_hunt_for_a_mark_that_never_comes_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "HUNT_S", 2.0)

    async def story() -> None:
        world = Watched(tmp_path)
        said: list[str] = []
        world.driver.say = said.append
        await world.send(TOPIC)
        world.driver.want("mark")
        world.until(lambda: bool(said))
        assert said == ["no mark within 2 s of virtual time"] and world.pace.is_halted
        await world.lab.close()

    played(story)


def test_the_clock_halts_before_memory_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "EVENTS_MAX", 1500)

    async def story() -> None:
        world = Watched(tmp_path)
        said: list[str] = []
        world.driver.say = said.append
        await world.send(TOPIC)
        world.until(lambda: bool(said))
        assert world.pace.is_halted and "the command go lets it go on" in said[0]
        await world.lab.close()

    played(story)
