"""A simulated run beside a screen: what halts it, what it answers, who may read it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cluster.lab import TimedLab
from cluster.model.events import RunEnded
from cluster.runtime.run.folder import is_alive, read_facts
from cluster.trace.entry import encode_entry
from cluster.trace.reader import read_all
from tests.support.worlds.paced_world import TOPIC, Watched, played


def test_commands_are_carried_out_in_virtual_time_and_everything_told_is_on_the_screen(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        assert isinstance(world.lab, TimedLab)
        assert (await world.send(TOPIC)).ok
        assert (await world.send("produce orders 5 acks=all")).ok
        assert not (await world.send("kill 77")).ok
        world.seconds(0.5)
        await world.session.end_lab()
        entries = world.session.recording.entries
        assert any(isinstance(entry.event, RunEnded) for entry in entries[-3:])
        written = read_all(world.lab.run_folder / "trace")
        assert list(map(encode_entry, entries)) == list(map(encode_entry, written))
        facts = read_facts(world.lab.run_folder)
        assert (facts.world, facts.seed, facts.state, is_alive(world.lab.run_folder)) == (
            "simulated",
            7,
            "ended",
            False,
        )

    played(story)


def test_halted_time_really_stands_still_and_a_command_waits_for_it(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        world.pace.is_halted = True
        stands_at, told = world.lab.now_s(), len(world.session.recording.entries)
        waits = asyncio.ensure_future(world.lab.send("produce orders 1 acks=all"))
        for _ in range(50):
            await asyncio.sleep(0)
            world.turn()
        assert world.lab.now_s() - stands_at < 1e-6, "only the clock tick of an event that a command tells itself"
        assert not waits.done() and len(world.session.recording.entries) - told < 5
        world.pace.is_halted = False
        world.until(lambda: world.lab.now_s() > stands_at + 0.5)
        assert (await waits).ok
        await world.lab.close()

    played(story)


def test_a_kill_takes_effect_although_time_is_halted(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        world.pace.is_halted = True
        answer = await asyncio.wait_for(world.lab.send("kill controller"), 30)
        world.turn()
        assert answer.ok and world.session.recording.live.up_count()[0] == 5
        await world.lab.close()

    played(story)


def test_a_slice_never_lasts_longer_than_it_may(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        before = world.lab.now_s()
        for _ in range(100):  # a busy machine may take the whole millisecond of one slice away
            world.lab.live(1_000_000)
            if world.lab.now_s() > before:
                break
        assert 0 < world.lab.now_s() - before < 1, "as fast as it goes, but only for a millisecond"
        await world.lab.close()

    played(story)


def test_a_script_waits_in_virtual_time_and_reads_what_it_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        world.lab.has_script = True
        began = world.lab.now_s()
        waiting = asyncio.ensure_future(world.lab.pass_time(0.25))
        await asyncio.sleep(0)
        while not waiting.done():
            world.turn()
            await asyncio.sleep(0)
        assert world.lab.now_s() == pytest.approx(began + 0.25, abs=1e-6), "the clock stops for whoever waited"
        told = world.lab.poll()
        assert told == world.session.recording.entries and world.lab.poll() == []
        await world.lab.close()

    played(story)


def test_who_waits_when_the_run_ends_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        world.pace.is_halted = True
        waits = [asyncio.ensure_future(world.lab.send(TOPIC)), asyncio.ensure_future(world.lab.pass_time(1))]
        await asyncio.sleep(0)
        await world.lab.close()
        for waiting in waits:
            with pytest.raises(EOFError):
                await waiting
        with pytest.raises(EOFError):
            await world.lab.send("status")
        await world.lab.ended()

    played(story)
