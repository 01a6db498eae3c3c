"""What a simulated run adds to the screen, drawn without one."""

from __future__ import annotations

import pytest

from cluster.picture.parts import FaultState
from tests.support.traces import story
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.pace import Pace
from workbench.session.recording import Recording
from workbench.tui.answer import dim
from workbench.tui.compose import draw_screen
from workbench.tui.input.words import find_word, suggest_words
from workbench.tui.modes import Help, Verdicts
from workbench.tui.panes.verdicts import chosen_violation, rows_of
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))


def state(**more: object) -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    return UiState(recording, title="Elections", **more)  # type: ignore[arg-type]


def shown(ui: UiState, size: tuple[int, int]) -> list[str]:
    return draw_screen(*size, ui).text_rows()


@pytest.mark.parametrize("size", SIZES)
def test_a_simulated_run_says_so_with_its_seed_at_every_size(size: tuple[int, int]) -> None:
    ui = state(seed=7, pace=Pace())
    words = "simulated, seed 7" if size[0] > 80 else "SIM 7"
    assert words in shown(ui, size)[0] and words not in shown(state(), size)[0]
    assert size[0] == 80 or "seed 7, x1" in shown(ui, size)[0]
    ui.recording.seek(5)
    assert words in shown(ui, size)[0]


@pytest.mark.parametrize("size", SIZES)
def test_halted_time_a_held_view_and_frozen_nodes_are_three_things(size: tuple[int, int]) -> None:
    ui = state(seed=7, pace=Pace())
    assert ui.pace is not None
    ui.pace.is_halted = True
    signs = ("HALTED", "LIVE", "HELD", "FROZEN", "RUNNING")

    def only(sign: str, words: str = "") -> bool:
        header = shown(ui, size)[0]
        return [word for word in signs if word in header] == [sign] and (size[0] < 160 or words in header)

    assert only("HALTED", "virtual time stands still")
    ui.pace.runs_to = "the next mark"
    assert only("RUNNING", "on to the next mark"), "the clock runs, as fast as it goes"
    ui.pace.runs_to = ""
    ui.recording.pause()
    assert only("HELD", "the cluster waits with you")
    ui.pace.is_halted = False
    assert only("HELD", "virtual time runs on")
    ui.recording.go_live()
    ui.recording.live.faults[1] = FaultState(1, "Freeze", "", 0)
    assert only("FROZEN", "every node stands still")


def test_a_recorded_simulation_has_the_badge_and_no_pace() -> None:
    header = shown(state(seed=0, replay=True), (80, 24))[0]
    assert "SIM 0" in header and "\u25c2 REPLAY" in header and "x1" not in header


@pytest.mark.parametrize("size", SIZES)
def test_the_verdicts_stand_beside_the_answer_and_never_over_it(size: tuple[int, int]) -> None:
    ui = state(answer=dim("word " * 60))
    ui.verdicts = LiveVerdicts(ui.recording)
    while ui.verdicts.turn():
        pass
    rows = shown(ui, size)
    assert rows[-2].rstrip().endswith("kept") and " VIOLATED (R" in rows[-2]
    text = " ".join(" ".join(rows[-4:-1]).split())
    assert "word word" in text
    ui.answer = dim("short")
    assert shown(ui, size)[-2].startswith(" short ")


def test_no_verdict_is_no_good_verdict() -> None:
    ui = UiState(Recording())
    ui.verdicts = LiveVerdicts(ui.recording)
    assert "no promise checked yet" in shown(ui, (80, 24))[-2]


@pytest.mark.parametrize("size", SIZES)
def test_the_table_lists_broken_rules_first_and_explains_the_chosen_line(size: tuple[int, int]) -> None:
    ui = state(mode=Verdicts())
    ui.verdicts = LiveVerdicts(ui.recording)
    while ui.verdicts.turn():
        pass
    text = "\n".join(shown(ui, size))
    first = rows_of(ui)[0]
    assert "Verdicts" in text and "VIOLATED" in text and first.line.violations[0].sentence[:30] in text
    assert "enter shows them" in text
    assert chosen_violation(ui) == first.line.violations[0]
    ui.overlay_scroll = next(place for place, row in enumerate(rows_of(ui)) if row.line.info.id == "R1")
    assert "this can be promised while: no voter came back" in "\n".join(shown(ui, size))
    ui.overlay_scroll = 10_000
    text = "\n".join(shown(ui, size))
    assert "not evaluated" in text and "this says nothing" in text
    assert ui.overlay_scroll == len(rows_of(ui)) - 1 and chosen_violation(ui) is None


def test_words_of_time_mean_something_only_in_a_simulated_run() -> None:
    assert suggest_words("bra", simulated=True) == ("branch",)
    assert suggest_words("bra", simulated=False) == ()
    assert suggest_words("speed 0", simulated=True) == ("speed 0.01", "speed 0.1")
    found = find_word("speed  0.05")
    assert found is not None and found[1] == "0.05" and find_word("kill 2") is None


def test_keys_of_time_are_listed_only_in_a_simulated_run() -> None:
    ui = state(mode=Help())
    assert "halt virtual time" not in "\n".join(shown(ui, (200, 60)))
    ui.seed = 7
    assert "halt virtual time" in "\n".join(shown(ui, (200, 60)))
