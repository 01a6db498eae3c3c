from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.svg import canvas_svg, free_name
from workbench.tui.ui_state import UiState


def replay() -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    return UiState(recording, replay=True, title="Elections")


def test_the_picture_holds_the_text_of_the_screen() -> None:
    canvas = draw_screen(120, 40, replay())
    root = ElementTree.fromstring(canvas_svg(canvas, "Elections"))  # noqa: S314  # our own text
    shown = "".join("".join(node.itertext()) for node in root.iter())
    assert "Close-up" in shown and "REPLAY" in shown


@pytest.mark.parametrize("payload", (*story.HOSTILE, "<script>alert(1)</script>", '"><image href="x"/>', "]]>"))
def test_hostile_text_makes_no_element(payload: str) -> None:
    recording = Recording()
    recording.extend(story.hostile_story(payload))
    text = canvas_svg(
        draw_screen(200, 50, UiState(recording, title="x")), payload.replace("\x1b", "").replace("\x07", "")
    )
    kinds = {node.tag.rpartition("}")[2] for node in ElementTree.fromstring(text).iter()}  # noqa: S314  # our own text
    assert kinds <= {"svg", "title", "rect", "text"}


def test_a_picture_never_replaces_another(tmp_path: Path) -> None:
    (tmp_path / "screen-1.svg").touch()
    assert free_name(tmp_path, "screen", ".svg").name == "screen-2.svg"
