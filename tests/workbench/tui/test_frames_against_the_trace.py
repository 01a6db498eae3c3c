"""What frames of a run with many faults say, against a fold of the trace that knows nothing of the screen's."""

from __future__ import annotations

import pytest

from tests.support.screens.compared import Comparison
from tests.support.traces.facts import Facts, folded
from tests.support.traces.played import passes, ready
from tests.support.traces.watched import Watched
from workbench.session.recording import Recording
from workbench.tui.ui_state import UiState

LOOKS = 6
"""Frames for each command: so many times the run goes on for a while."""


RUNS = {
    "failover": "produce orders 2; kill 1; produce orders 2; start 1; produce orders 1",
    "zombie": "partition 1|2,3,101,102,103; produce orders 3 acks=1 retries=no; heal; produce orders 1",
    "unclean": "kill 3; kill 1; produce orders 5 acks=1; kill 2; start 1; elect orders-0 unclean; start 2",
    "quorum": "kill controller; kill controller; heal; start 101; start 102; start 103",
    "power": "fsync lie 2; produce orders 2; power-loss 2; heal; start 2; delay 1-2 100ms; cut 1>3; heal",
    "load": "load 20 acks=1; isolate 1; heal; pause 2; resume 2",
}


@pytest.mark.parametrize("name", RUNS)
def test_what_frames_say_is_what_the_trace_says(name: str) -> None:
    world: Watched = ready(seed=3)
    recording, facts, compared = Recording(), Facts(), Comparison()
    for command in RUNS[name].split("; "):
        world.send(command)
        for look in range(LOOKS):
            passes(world, 0.05 if look < LOOKS // 2 else 1.0)
            facts.fold(world.entries[len(recording.entries) :])
            recording.extend(world.entries[len(recording.entries) :])
            compared.look(UiState(recording, title="Frames"), facts, (200, 50) if look % 2 else (120, 40))
    recording.seek(len(recording.entries) // 2)
    compared.look(UiState(recording, title="Frames"), folded(world.entries[: recording.cursor]), (200, 50))
    assert compared.wrong == [], compared.wrong[0]
    for fact in ("faults in force", "down", "quorum leader", "ISR", "log end", "high watermark", "acknowledged"):
        assert compared.counts[fact] > LOOKS, fact
