"""A run made move by move: commands wait their turn, and the same moves make the same run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.lab import LEARNER, LECTURER, SCRIPT, Answer
from cluster.model.events import FaultInjected, HighWatermarkAdvanced, LessonStep
from cluster.simulation.lab.journal import FILE, Journal, JournalError, read_journal
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.stepper import Running, Stepper
from cluster.simulation.world.kernel import NS_PER_S
from cluster.trace.reader import TraceFolder, read_all

CONFIG = ClusterSpec(seed=7)


def begun(folder: Path) -> Stepper:
    folder.mkdir()
    return Stepper(SimulatedLab(CONFIG, folder), Journal(folder / FILE))


def advance(stepper: Stepper, seconds: float) -> None:
    until_ns = stepper.lab.cluster.kernel.now_ns + round(seconds * NS_PER_S)
    while stepper.move(until_ns):
        pass
    stepper.stand_at(until_ns)


def finished(stepper: Stepper, running: Running) -> Answer:
    while not running.is_done:
        assert stepper.move()
    assert running.answer is not None
    return running.answer


async def end(stepper: Stepper) -> None:
    stepper.drop()
    await stepper.lab.close()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "trace").iterdir())}


async def test_a_command_goes_on_only_with_the_moves(tmp_path: Path) -> None:
    stepper = begun(tmp_path / "run")
    running = stepper.begin("topic orders replicas=3 min-isr=2")
    assert not running.is_done
    assert finished(stepper, running).ok
    assert stepper.begin("kill controller").is_done, "what needs no time is done at once"
    await end(stepper)


async def test_commands_overlap(tmp_path: Path) -> None:
    stepper = begun(tmp_path / "run")
    finished(stepper, stepper.begin("topic orders replicas=3 min-isr=3"))
    assert finished(stepper, stepper.begin("pause follower(orders-0)")).ok
    waits = stepper.begin("produce orders 1 acks=all")
    assert stepper.begin("cut 1>2").is_done and not waits.is_done
    finished(stepper, waits)
    await end(stepper)


async def test_a_run_watched_move_by_move_is_the_run_played_at_once(tmp_path: Path) -> None:
    commands = ("topic orders replicas=3 min-isr=2", "produce orders 20 acks=all", "kill controller", "status")
    stepper = begun(tmp_path / "watched")
    for command in commands:
        finished(stepper, stepper.begin(command))
    advance(stepper, 3)
    await end(stepper)
    (tmp_path / "headless").mkdir()
    lab = SimulatedLab(CONFIG, tmp_path / "headless")

    for command in commands:
        await lab.send(command)
    lab.advance(3)
    await lab.close()
    assert files(tmp_path / "watched") == files(tmp_path / "headless")


async def test_the_journal_makes_the_same_run_again_to_the_byte(tmp_path: Path) -> None:
    first = begun(tmp_path / "first")
    finished(first, first.begin("topic orders replicas=3 min-isr=2"))
    advance(first, 0.3217)
    first.begin("produce orders 300 acks=all")
    advance(first, 0.0501)
    first.note(LessonStep(step=1, text="a note"), "script")
    first.begin("kill leader(orders-0)")
    first.begin("no such command")
    advance(first, 2)
    events = first.events
    await end(first)
    past = read_journal(tmp_path / "first" / FILE)
    assert past == first.journal.entries and past[-1].is_end

    second = begun(tmp_path / "second")
    second.retrace(past, events)
    while second.events < events:
        assert second.move()
    again = TraceFolder(tmp_path / "second" / "trace")
    await end(second)
    told = TraceFolder(tmp_path / "first" / "trace")
    entries = told.poll()
    assert again.poll()[:events] == entries[:events] and events > 1_000
    assert [item.moves for item in second.journal.entries[:-1]] == [item.moves for item in past[:-1]]
    again.close()
    told.close()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
async def test_a_run_made_anew_up_to_an_event_agrees_up_to_there_and_is_free_afterwards(
    tmp_path: Path, share: float
) -> None:
    first = begun(tmp_path / "first")
    finished(first, first.begin("topic orders replicas=3 min-isr=2"))
    finished(first, first.begin("produce orders 20 acks=all"))
    finished(first, first.begin("kill controller"))
    advance(first, 2)
    events = int(first.events * share)
    await end(first)
    second = begun(tmp_path / "second")
    second.retrace(first.journal.entries, events)
    while second.events < events:
        assert second.move()
    finished(second, second.begin("freeze"))
    await end(second)
    one, other = TraceFolder(tmp_path / "first" / "trace"), TraceFolder(tmp_path / "second" / "trace")
    before, after = one.poll(), other.poll()
    assert after[:events] == before[:events] and after != before
    one.close()
    other.close()


@pytest.mark.parametrize("command", ["kill 1", "pause 2", "produce orders 3 acks=all"])
async def test_a_command_that_waited_for_an_event_comes_again_at_that_event(tmp_path: Path, command: str) -> None:
    first = begun(tmp_path / "first")
    finished(first, first.begin("topic orders replicas=3 min-isr=2"))
    first.when(lambda entry: isinstance(entry.event, HighWatermarkAdvanced) and entry.node == 1, command)
    finished(first, first.begin("produce orders 5 acks=all"))
    advance(first, 1)
    events = first.events
    (armed,) = [item for item in first.journal.entries if item.is_armed]
    await end(first)
    past = read_journal(tmp_path / "first" / FILE)
    assert armed in past
    for until in (events, armed.events, armed.events - 1):
        second = begun(tmp_path / f"second-{until}")
        second.retrace(past, until)
        while second.events < until:
            assert second.move()
        second.arrive()
        told = second.events
        advance(second, 0.1)
        await end(second)
        same = read_all(tmp_path / f"second-{until}" / "trace")[:told]
        assert same == read_all(tmp_path / "first" / "trace")[:told]


def test_a_journal_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no journal"):
        read_journal(tmp_path / FILE)
    for line in ('{"moves": 1}', "[]", "{", '{"moves": 1, "now_ns": 1, "events": 1, "note": "x", "fields": []}'):
        (tmp_path / FILE).write_text(line + "\n")
        with pytest.raises(JournalError, match="cannot be read"):
            read_journal(tmp_path / FILE)


def test_a_line_cut_short_at_the_end_is_left_out(tmp_path: Path) -> None:
    journal = tmp_path / FILE
    journal.write_text('{"moves": 1, "now_ns": 2, "events": 3, "command": "kill 2"}\n{"moves": 4, "now')
    (item,) = read_journal(journal)
    assert (item.command, item.moves) == ("kill 2", 1)


async def test_who_gave_a_command_stands_in_its_event_and_comes_again_when_the_run_is_made_again(
    tmp_path: Path,
) -> None:
    stepper = begun(tmp_path / "first")
    advance(stepper, 1.0)
    for text, by in (("kill 1", SCRIPT), ("pause 2", LECTURER), ("resume 2", ""), ("kill 3", LEARNER)):
        assert finished(stepper, stepper.begin(text, by)).ok
    await stepper.lab.close()
    told = [(item.event.command, item.trigger) for item in _injected(tmp_path / "first")]
    assert told == [
        ("kill 1", "command by script"),
        ("pause 2", "command by lecturer"),
        ("kill 3", "command by learner"),
    ]
    past = read_journal(tmp_path / "first" / FILE)
    assert [item.by for item in past if item.command] == [SCRIPT, LECTURER, "", LEARNER]
    again = begun(tmp_path / "again")
    again.retrace(past, past[-1].events + 1)
    advance(again, 2.0)
    await again.lab.close()
    assert [(item.event.command, item.trigger) for item in _injected(tmp_path / "again")] == told


def test_a_journal_that_does_not_say_who_is_read_as_before(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"moves": 1, "now_ns": 2, "events": 3, "command": "kill 1"}\n')
    (item,) = read_journal(tmp_path / FILE)
    assert (item.command, item.by) == ("kill 1", "")


def _injected(folder: Path) -> list[Any]:
    return [item for item in read_all(folder / "trace") if isinstance(item.event, FaultInjected)]
