from __future__ import annotations

from typing import Any

import pytest
import story

from cluster.model import events as ev
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))


def shown(run: story.Story, size: tuple[int, int]) -> str:
    recording = Recording()
    recording.extend(run.entries)
    ui = UiState(recording)
    ui.main = "map"
    return "\n".join(draw_screen(*size, ui).text_rows())


def stuttering(arguments: str = "3 150ms 50ms") -> story.Story:
    run = story.Story()
    run.begin()
    fault: dict[str, Any] = {"fault_id": 1, "kind": "Stutter", "arguments": arguments}
    run.say(0, ev.FaultApplied(**fault))
    return run


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_node_that_stutters_says_how_much_of_the_time_it_stands_still(size: tuple[int, int]) -> None:
    run = stuttering()
    assert "stops 25%" in shown(run, size) and "stutter 3 150ms 50ms" in shown(run, size)
    run.say(0, ev.FaultReverted(fault_id=1, kind="Stutter", arguments="3 150ms 50ms"))
    assert "stops" not in shown(run, size)


def test_a_node_that_is_gone_does_not_stutter() -> None:
    run = stuttering()
    run.say(0, ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=-9, expected=True))
    assert "stops" not in shown(run, SIZES[0])


@pytest.mark.parametrize("arguments", ("3", "3 x y", "3 0ms 0ms", "4 150ms 50ms 9ms", "3 " + "9" * 60))
def test_a_stutter_in_words_that_make_no_sense_is_only_listed(arguments: str) -> None:
    text = shown(stuttering(arguments), SIZES[0])
    assert "stops" not in text and "stutter" in text


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_node_without_power_says_since_when(size: tuple[int, int]) -> None:
    run = story.Story()
    run.begin()
    run.say(0, ev.PowerLost(node_id=3, files=()))
    run.say(0, ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=-9, expected=True))
    text = shown(run, size)
    assert "NO POWER" in text and "0s ago" in text
