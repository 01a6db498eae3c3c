"""A message on its way is chosen, read, and given a fate. The cluster is a real simulation that stands still."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cluster.model import events as ev
from cluster.model.events.network import LEFT
from cluster.picture.flights import Flight
from cluster.trace.entry import encode_entry
from cluster.trace.reader import read_all
from tests.support.screens.bare_host import BareHost, Bench
from tests.support.worlds.paced_world import TOPIC, Watched
from workbench.session.branch import branch_off, past_of
from workbench.session.missions.board import Board
from workbench.tui.commands.commands import Commands
from workbench.tui.commands.dispatch import Dispatch
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Touch, Watching, Why
from workbench.tui.panes.touch import touchable
from workbench.tui.ui_state import UiState

SIZES = ((80, 24), (120, 40), (160, 45), (200, 50))


class Stage:
    """A simulated cluster whose leader was killed: time stands at the moment at which a yes to a candidate has left."""

    def __init__(self, home: Path) -> None:
        self.world, self.host = Watched(home), BareHost()
        session = self.world.session
        self.ui = UiState(session.recording, seed=7, pace=self.world.pace)
        self.commands = Commands(session, self.ui, self.host)
        self.dispatch = Dispatch(self.commands)
        self.ui.missions = Board(home / "progress")

    async def until_yes(self) -> Flight:
        """The yes."""
        recording = self.world.session.recording
        await self.world.send(TOPIC)
        await self.world.send("kill leader")
        self.world.pace.is_halted = True
        while not (found := [flight for flight in touchable(self.ui) if _is_yes(flight)]):
            self.world.driver.want("event")
            self.world.turn()
            recording.go_live()
        return found[0]

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.dispatch.press(key, key)
            while self.host.begun:
                await self.host.begun.pop(0)

    async def goes_on(self, seconds: float = 1.0) -> None:
        self.world.pace.is_halted = False
        end_s = self.world.lab.now_s() + seconds
        while self.world.lab.now_s() < end_s:
            self.world.turn()
            await asyncio.sleep(0)

    def of(self, kind: type) -> list[Any]:
        return [entry.event for entry in self.world.session.recording.entries if isinstance(entry.event, kind)]

    def choose(self, flight: Flight) -> None:
        """As a click does."""
        self.commands.run("touch", flight.told_by)


def bytes_of(folder: Path, count: int) -> list[bytes]:
    return [encode_entry(entry) for entry in list(read_all(folder / "trace"))[:count]]


def _is_yes(flight: Flight) -> bool:
    told = dict(flight.numbers)
    is_vote = flight.message == "VoteResponse" and not told["pre_vote"] and told["granted"]
    return bool(is_vote) and flight.fate == LEFT


def test_the_yes_that_was_chosen_never_arrives_and_the_screen_says_so(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path)
        yes = await stage.until_yes()
        stage.choose(yes)
        shown = "\n".join(draw_screen(120, 40, stage.ui).text_rows())
        assert f"n{yes.source} \u2192 n{yes.target}   yes   vote response, number {yes.correlation}" in shown
        assert "granted yes" in shown and "and has not arrived" in shown and "Exactly this message is meant." in shown
        await stage.press("d")
        assert isinstance(stage.ui.mode, Watching)
        await stage.goes_on(0.002)
        (plucked,) = stage.of(ev.MessagePlucked)
        assert (plucked.correlation, plucked.fate, plucked.source) == (yes.correlation, "drop", yes.source)
        heard = [event for event in stage.of(ev.VoteReceived) if not event.pre_vote and event.voter_id == yes.source]
        assert not [event for event in heard if event.epoch == plucked.numbers[0][1]]
        said = [moment.text for moment in stage.ui.recording.story.moments]
        assert f"You plucked n{yes.source}'s yes to n{yes.target}." in said
        assert f"n{yes.source}'s yes to n{yes.target} is plucked: it never arrives." in said
        assert not stage.ui.recording.live.faults.keys() - {1}, "what is done is over"
        for size in SIZES:
            shown = "\n".join(draw_screen(*size, stage.ui).text_rows())
            assert f"n{yes.source}'s yes to n{yes.target} is plucked: it never arrives." in shown
            assert "3: enough" not in shown, "a vote that nobody hears is none"

    asyncio.run(play())


def test_one_that_is_held_waits_until_it_is_let_through(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path)
        yes = await stage.until_yes()
        stage.choose(yes)
        await stage.press("h")
        await stage.goes_on(0.003)
        assert [event.fate for event in stage.of(ev.MessagePlucked)] == ["hold"]
        stage.world.pace.is_halted = True
        held = next(flight for flight in touchable(stage.ui) if flight.same(yes))
        stage.choose(held)
        assert "It is held: it was plucked." in "\n".join(draw_screen(120, 40, stage.ui).text_rows())
        await stage.press("p")
        assert stage.ui.answer.text.startswith(": heal 2"), stage.ui.answer
        await stage.goes_on(0.003)
        heard = [event for event in stage.of(ev.MessageSeen) if event.correlation == yes.correlation]
        assert heard[-1].fate == "delivered"

    asyncio.run(play())


def test_a_run_with_a_plucked_message_is_made_again_to_the_byte(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path)
        stage.choose(await stage.until_yes())
        await stage.press("d")
        await stage.goes_on(0.5)
        world, count = stage.world, len(stage.ui.recording.entries)
        parent, past = world.lab, past_of(world.lab)
        parent.flush()
        world.attach(branch_off(tmp_path, past, count, 1.0, world.pace))
        world.until(lambda: not world.lab.is_retracing)
        world.lab.flush()
        assert bytes_of(parent.run_folder, count) == bytes_of(world.lab.run_folder, count)
        assert any(isinstance(entry.event, ev.MessagePlucked) for entry in world.session.recording.entries[:count])
        await parent.close()
        await world.lab.close()

    asyncio.run(play())


def test_tab_goes_from_message_to_message_on_a_map_that_stands(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path)
        await stage.until_yes()
        count = len(touchable(stage.ui))
        await stage.press("tab")
        for _ in range(count - 1):
            assert isinstance(stage.ui.mode, Touch)
            await stage.press("tab")
        assert isinstance(stage.ui.mode, Touch)
        await stage.press("enter")
        assert isinstance(stage.ui.mode, Why)
        await stage.press("escape", "tab", *["tab"] * count)
        assert (stage.ui.mode, stage.ui.answer.text) == (Watching(), "no other message is on its way")
        stage.ui.focus = "events"
        await stage.press("tab")
        assert stage.ui.mode == Watching(), "only the map has messages"

    asyncio.run(play())


def test_what_cannot_be_touched_says_why_in_a_sentence(tmp_path: Path) -> None:
    async def play() -> None:
        stage = Stage(tmp_path)
        yes = await stage.until_yes()
        recording = stage.ui.recording
        stage.choose(yes)
        recording.step(-3)
        await stage.press("d")
        assert stage.ui.answer.text.startswith("this moment is over: end goes to the newest, B")
        recording.go_live()
        await stage.goes_on(0.01)
        stage.ui.open(Touch(yes))
        await stage.press("d")
        assert stage.ui.answer.text.startswith("it is on its way no more: halt time with g")
        refused = await stage.world.send(f"pluck {yes.source}>{yes.target} VoteResponse drop number={yes.correlation}")
        assert refused.text.endswith("it has arrived, or is gone") and not refused.ok
        stage.ui.open(Touch(yes))
        stage.ui.replay = True
        await stage.press("d")
        assert stage.ui.answer.text.startswith("a recording stands as it is: B makes a run that goes on")
        stage.ui.mode = Watching()
        stage.commands.run("pluck", "drop")
        assert stage.ui.answer.text == "no message is chosen"
        stage.commands.run("without_plucks")
        assert stage.ui.answer.text.startswith("no message was plucked in this run")

    asyncio.run(play())


@pytest.mark.parametrize(("key", "fate"), [("d", "drop"), ("h", "hold"), ("t", "200ms"), ("p", "pass")])
def test_of_processes_the_next_of_its_kind_is_plucked_and_the_screen_says_so(
    tmp_path: Path, key: str, fate: str
) -> None:
    bench = Bench(tmp_path)
    flight = Flight(101, 102, "VoteResponse", True, LEFT, bench.ui.shown_ns, 0, bench.ui.recording.entries[-1].id, 5,
                    numbers=(("granted", 1),))  # fmt: skip
    bench.ui.open(Touch(flight))
    assert "Processes do not wait: the next vote response on this link is meant." in bench.drawn()
    bench.press(key)
    bench.host.finish()
    assert bench.lab.commands == [f"pluck 101>102 VoteResponse {fate}"]
