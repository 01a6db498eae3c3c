"""A branch is the same run up to one of its events, and a run of its own from there on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import read_facts, update_facts
from cluster.trace.entry import encode_entry
from cluster.trace.reader import read_all
from tests.support.worlds.paced_world import TOPIC, Watched, played
from workbench.cli.run_script import run_script
from workbench.cli.runs import runs
from workbench.runs.launch import WorldChoice, launch_simulation
from workbench.session.branch import BranchError, begin_run, branch_off, past_of, past_of_recording


async def parent_of(world: Watched) -> int:
    """A run in which the leader of a partition is killed; the events told before."""
    await world.send(TOPIC)
    await world.send("produce orders 10 acks=all")
    world.seconds(0.4321)
    world.turn()
    before = len(world.session.recording.entries)
    await world.send("kill leader(orders-0)")
    await world.send("produce orders 10 acks=all")
    world.seconds(1)
    return before


def bytes_of(folder: Path, count: int) -> list[bytes]:
    return [encode_entry(entry) for entry in list(read_all(folder / "trace"))[:count]]


@pytest.mark.parametrize("at", ["before the kill", "after the kill", "early"])
def test_the_child_equals_its_parent_to_the_byte_up_to_the_branch_point(tmp_path: Path, at: str) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        before = await parent_of(world)
        parent = world.lab
        recording = world.session.recording
        events = {"before the kill": before, "after the kill": before + 1, "early": 110}[at]
        child = branch_off(tmp_path, past_of(parent), events, 1.5, world.pace)
        world.pace.is_halted = True
        world.attach(child)
        await parent.close()
        world.until(lambda: not child.is_retracing)
        await asyncio.wait_for(child.arrived(), 30)
        told = len(recording.entries)
        assert told >= events and recording.live.up_count()[0] == (5 if at == "after the kill" else 6)
        stands = child.now_s()
        world.turn()
        assert child.now_s() == stands, "the branch waits until somebody lets time go"
        world.pace.is_halted = False
        await world.send("pause controller")
        world.seconds(1)
        await child.close()
        assert bytes_of(child.run_folder, told) == bytes_of(parent.run_folder, told)
        assert bytes_of(child.run_folder, 99_999) != bytes_of(parent.run_folder, 99_999)
        facts = read_facts(child.run_folder)
        assert (facts.parent, facts.branch_events, facts.seed) == (parent.facts.id, told, 7)

    played(story)


def test_a_branch_of_a_branch_and_a_branch_of_a_recording_have_the_same_past(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        before = await parent_of(world)
        first = world.lab
        second = branch_off(tmp_path, past_of(first), before, 1, world.pace)
        world.attach(second)
        world.until(lambda: not second.is_retracing)
        await first.close()
        await world.send("cut 101-102")
        told = len(world.session.recording.entries)
        await second.close()
        third = branch_off(tmp_path, past_of_recording(second.run_folder), told, 1, world.pace)
        world.attach(third)
        world.until(lambda: not third.is_retracing)
        await third.close()
        assert bytes_of(third.run_folder, told) == bytes_of(second.run_folder, told)
        assert bytes_of(third.run_folder, before) == bytes_of(first.run_folder, before)

    played(story)


def test_a_branch_from_the_end_of_a_recording_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        await parent_of(world)
        lived = world.lab.stepper.events
        await world.session.end_lab()
        ended = len(world.session.recording.entries)
        assert ended > lived, "the end has events of its own"
        child = branch_off(tmp_path, past_of_recording(world.lab.run_folder), ended, 1, world.pace)
        world.attach(child)
        world.until(lambda: not child.is_retracing)
        assert len(world.session.recording.entries) == lived == read_facts(child.run_folder).branch_events
        await child.close()

    played(story)


def test_a_recording_of_before_messages_were_told_has_branches_that_tell_of_none(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        old = begin_run(tmp_path, ClusterSpec(seed=7), world.pace, observes=False)
        world.attach(old)
        await world.send(TOPIC)
        world.seconds(1)
        told = len(world.session.recording.entries)
        await old.close()
        update_facts(old.run_folder, version="1.1")
        child = branch_off(tmp_path, past_of_recording(old.run_folder), told, 1, world.pace)
        world.attach(child)
        world.until(lambda: not child.is_retracing)
        world.seconds(1)
        await child.close()
        assert bytes_of(child.run_folder, told) == bytes_of(old.run_folder, told)
        assert read_facts(child.run_folder).version == "1.1", "its branches will have the same past"
        kinds = {entry.event.name for entry in read_all(child.run_folder / "trace")}
        assert "net.connected" in kinds and not kinds & {"net.message", "net.traffic", "raft.timer_set"}

    played(story)


def test_a_command_on_the_way_to_the_branch_point_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        before = await parent_of(world)
        child = branch_off(tmp_path, past_of(world.lab), before, 1, world.pace)
        answer = await child.send("kill 1")
        assert not answer.ok and "not yet" in answer.text
        await child.close()
        await world.lab.close()

    played(story)


def test_runs_shows_what_a_run_branched_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        child = branch_off(tmp_path, past_of(world.lab), 20, 1.25, world.pace)
        await child.close()
        await world.lab.close()
        runs(str(tmp_path), as_json=False)
        assert f"seed 7, branch of {world.lab.facts.id} at 1.250 s" in capsys.readouterr().out
        runs(str(tmp_path), as_json=True)
        first, second = json.loads(capsys.readouterr().out)
        assert (first["parent"], second["parent"], second["branch_events"]) == (None, world.lab.facts.id, 20)

    played(story)


async def test_what_cannot_be_made_again_is_not_branched(tmp_path: Path) -> None:
    lab = launch_simulation(tmp_path, ClusterSpec(seed=1))
    await lab.close()
    with pytest.raises(BranchError, match="has no journal"):
        past_of_recording(lab.run_folder)
    facts = json.loads((lab.run_folder / "run.json").read_text())
    (lab.run_folder / "run.json").write_text(json.dumps(facts | {"world": "processes", "seed": None}))
    with pytest.raises(BranchError, match="real processes"):
        past_of_recording(lab.run_folder)
    with pytest.raises(BranchError):
        past_of_recording(tmp_path)


async def test_a_headless_run_of_a_script_can_be_branched_with_all_it_was_given(tmp_path: Path) -> None:
    script = tmp_path / "given.txt"
    script.write_text(
        "cluster controllers=3 brokers=2 timing=classroom\n"
        "given topic orders replicas=1,2 min-isr=1\n"
        "given log orders-0 on 1,2 = e0:0-3\n"
        "given fault fsync lie 1\n"
        "given network latency=1ms-5ms\n"
        "wait leader orders-0\n"
        "when raft.leader_elected then pause 2\n"
        "produce orders 5 acks=1\n"
        "kill controller\n"
        "expect event raft.leader_elected\n",
        "utf-8",
    )
    world_choice = WorldChoice(simulated=True, seed=5)
    assert await asyncio.to_thread(run_script, script, as_json=False, home=tmp_path, world=world_choice) == 0
    (folder,) = (tmp_path / "runs").iterdir()
    whole = list(read_all(folder / "trace"))
    events = len(whole) - 20

    world = Watched(tmp_path)
    await world.lab.close()
    child = branch_off(tmp_path, past_of_recording(folder), events, 1.0, world.pace)
    world.attach(child)
    world.until(lambda: not child.is_retracing)
    shared = child.facts.branch_events
    await child.close()
    assert shared >= events
    mine = [entry.event for entry in read_all(child.run_folder / "trace")][:shared]
    assert mine == [entry.event for entry in whole][:shared]
