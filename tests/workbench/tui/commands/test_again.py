"""All that was done to a cluster is done once more: R in the fault console."""

from __future__ import annotations

from pathlib import Path

from cluster.lab import LEARNER, Answer
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.screens.screen_app import RecordingLab, shows
from tests.support.traces import story
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.ui_state import UiState


class TellingLab(RecordingLab):
    """Tells of each fault that it is asked for, and of each end."""

    def __init__(self, told: story.Story, session: Session) -> None:
        super().__init__()
        self.told, self.session, self.refuses = told, session, False
        self.count = 2

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        self.commands.append(text)
        if self.refuses:
            return Answer(False, "not now")
        begun = len(self.told.entries)
        if text.startswith("heal"):
            self.told.say(0, ev.FaultReverted(**fault_fields(int(text.split()[1]), "Cut", "1>2")))
        else:
            self.count += 1
            inject(self.told, self.count, text)
        self.session.recording.extend(self.told.entries[begun:])
        return Answer(True, "done")


def inject(told: story.Story, number: int, command: str) -> None:
    kind, _, arguments = command.partition(" ")
    fields = fault_fields(number, kind.capitalize(), arguments)
    told.say(0, ev.FaultInjected(**fields, command=command))
    told.say(0, ev.FaultApplied(**fields))


def made(tmp_path: Path) -> tuple[WorkbenchApp, TellingLab]:
    told = story.Story()
    told.say(0, ev.RunStarted(config="{}", world="processes", title="Again"))
    for node in (1, 2):
        told.say(0, ev.ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=node))
        told.say(node, ev.ProcessReady(node_id=node, port=9000 + node))
    inject(told, 1, "cut 1>2")
    inject(told, 2, "delay 1-2 50ms")
    told.say(0, ev.FaultReverted(**fault_fields(1, "Cut", "1>2")))
    session = Session(tmp_path, None)
    session.recording.extend(told.entries)
    lab = TellingLab(told, session)
    session.lab = lab
    return WorkbenchApp(session, UiState(session.recording, title="Again")), lab


async def test_faults_come_and_go_again_in_order_and_a_heal_takes_back_the_new_one(tmp_path: Path) -> None:
    app, lab = made(tmp_path)

    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("F", "R")
        await shows(pilot, app, "all 3 were done once more")
    assert lab.commands == ["cut 1>2", "delay 1-2 50ms", "heal 3"]


async def test_it_stops_at_what_the_cluster_refuses(tmp_path: Path) -> None:
    app, lab = made(tmp_path)
    lab.refuses = True

    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("F", "R")
        await shows(pilot, app, "stopped at 1 of 3: cut 1>2: not now")
    assert lab.commands == ["cut 1>2"]
