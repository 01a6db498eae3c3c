"""The records of the metadata log in the close-up."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.played import PLAYS
from workbench.session.recording import Recording
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.closeup import METADATA_ROWS, closeup_note, draw_closeup, mode_of
from workbench.tui.panes.metadata import OPEN
from workbench.tui.ui_state import UiState


def seen(width: int = 100, height: int = 12, upto: int | None = None) -> tuple[UiState, list[str]]:
    recording = Recording()
    recording.extend(PLAYS["lost_record"]().entries)
    if upto is not None:
        recording.seek(upto)
    ui = UiState(recording, replay=True)
    ui.log_index = 0
    canvas = Canvas(width, height)
    draw_closeup(canvas.area(Rect(0, 0, width, height)), ui)
    return ui, canvas.text_rows()


def test_a_metadata_log_that_was_chosen_shows_its_records_and_no_other_does() -> None:
    ui, rows = seen()
    assert mode_of(ui) == METADATA_ROWS and closeup_note(ui) == "what the metadata log says"
    assert any("Partition" in row and "orders-0 leader 2, epoch 1, ISR 2,3" in row for row in rows)
    ui.log_index = 1
    assert mode_of(ui) != METADATA_ROWS
    ui.log_index = None
    assert mode_of(ui) != METADATA_ROWS


def test_a_narrow_pane_leaves_out_the_kind_and_breaks_the_words() -> None:
    _, rows = seen(40)
    text = " ".join(" ".join(rows).split())
    assert "orders-0 leader 2, epoch 1, ISR 2,3: broker 1 fenced" in text and "BrokerRegistration" not in text
    assert all(len(row) <= 40 for row in rows)


def test_a_record_that_is_not_committed_has_a_sign_until_it_is() -> None:
    entries = PLAYS["lost_record"]().entries
    wanted = ("TopicRecord", "PartitionRecord")
    place = next(index for index, entry in enumerate(entries)
                 if isinstance(entry.event, ev.MetadataAppended) and entry.event.kinds == wanted)  # fmt: skip
    _, rows = seen(upto=place + 1)
    assert sum(row.startswith(OPEN) for row in rows) == 2 and f"{OPEN} not committed" in rows[-1]
    _, later = seen(upto=len(entries))
    assert not any(row.startswith(OPEN) for row in later)


def test_before_anything_was_written_it_says_so() -> None:
    ui = UiState(Recording(), replay=True)
    ui.log_index = 0
    canvas = Canvas(60, 6)
    draw_closeup(canvas.area(Rect(0, 0, 60, 6)), ui)
    assert "nothing has been written yet" in canvas.text_rows()[0]
