"""The time axis while a direction is shown: each step is as wide as another, silences are written out."""

from __future__ import annotations

from typing import NamedTuple

from workbench.session.director import SILENCE_MS
from workbench.session.score import Part, moment_words, part_in_view, parts_of, silence_words
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.isr import LEFT, draw_control_row, draw_isr, draw_ribbon, headline
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, TONES, filled
from workbench.tui.ui_state import UiState

STEP_COLUMNS = 11
"""One blank, then as much as the longest word of a step needs: n103 quits."""
SILENCE_COLUMNS = 15
LEAD_IN = 6
"""Columns before the first step, and how long they are in the run."""
LEAD_IN_NS = 300_000_000
FILLS = {"good": "yes", "bad": "no", "warn": "ask", "info": "task", "dim": "selected"}


class Place(NamedTuple):
    """A part and the columns that it has."""

    part: Part
    x: int
    width: int


class FoldedAxis:
    """Which column stands for which moment."""

    def __init__(self, ui: UiState, columns: int) -> None:
        self.director, self.columns = ui.director, columns
        self.parts = parts_of(ui.director)
        self.here = part_in_view(ui.director, self.parts)
        self.start_ns = (self.parts[0].from_ns if self.parts else ui.director.t_ns) - LEAD_IN_NS
        self.places = self._fitted()

    def _fitted(self) -> list[Place]:
        """From the part with which those up to the one in view, and some after it, have room."""
        widths = [STEP_COLUMNS if part.step is not None else SILENCE_COLUMNS for part in self.parts]
        first, room = 0, self.columns * 3 // 4
        while first < self.here and LEAD_IN + sum(widths[first : self.here + 1]) > room:
            first += 1
        fitted, x = [], LEAD_IN
        for part, width in zip(self.parts[first:], widths[first:], strict=True):
            if x + width > self.columns:
                break
            fitted.append(Place(part, x, width))
            x += width
        if first and fitted:
            self.start_ns = self.parts[first - 1].from_ns
        return fitted

    @property
    def now_x(self) -> int:
        """The column of the moment in view."""
        t_ns = self.director.t_ns
        column = 0
        for place in self._seen():
            column = place.x + min(place.width - 1, self._share(place, t_ns) * (place.width - 1) // 1000)
        return column

    def _seen(self) -> list[Place]:
        """Places of the parts up to the one in view."""
        parts_seen = {id(part) for part in self.parts[: self.here + 1]}
        return [place for place in self.places if id(place.part) in parts_seen]

    @staticmethod
    def _share(place: Place, t_ns: int) -> int:
        """How much of a part is over, in thousandths."""
        span_ns = place.part.until_ns - place.part.from_ns
        return min(1000, max(0, t_ns - place.part.from_ns) * 1000 // span_ns) if span_ns else 0

    def times(self) -> list[int]:
        """The moment that each column up to the one in view stands for, in order."""
        all_times: list[int] = []
        begin_ns, x = self.start_ns, 0
        for place in self._seen():
            span_ns = place.part.from_ns - begin_ns
            all_times += [begin_ns + span_ns * (at + 1) // (place.x - x) - 1 for at in range(place.x - x)]
            length_ns = place.part.until_ns - place.part.from_ns
            all_times += [place.part.from_ns + length_ns * at // place.width for at in range(place.width)]
            begin_ns, x = place.part.until_ns, place.x + place.width
        return [min(t_ns, self.director.t_ns) for t_ns in all_times[: self.now_x + 1]]


def draw_time(area: Area, ui: UiState) -> None:
    """The run along its time, folded while it is directed."""
    if ui.director.is_on:
        draw_folded(area, ui)
    else:
        draw_isr(area, ui)


def time_headline(ui: UiState) -> str:
    """What is said in the title of the pane."""
    if not ui.director.is_on:
        return headline(ui)
    return f"{moment_words(ui.director)}   folded: each step is as wide as another, silence is written out"


def draw_folded(area: Area, ui: UiState) -> None:
    """Who leads and who is in sync up to the moment in view, the steps below."""
    axis = FoldedAxis(ui, area.width - LEFT - 1)
    times, timeline, tp, y = axis.times(), ui.recording.timeline, ui.partition, 0
    rows = max(0, area.height - 3)
    if rows:
        draw_control_row(area, y, ui.recording, times)
        rows, y = rows - 1, y + 1
    if tp is not None:
        leaders = timeline.leadership.along(tp, times)
        changes = timeline.isr_along(tp, times)
        for node in ui.view.partitions[tp].replicas[:rows]:
            area.put(1, y, node_name(node), BRIGHT)
            draw_ribbon(area, y, timeline.down_along(node, times), node, changes, leaders)
            y += 1
    for row in range(min(y + 2, area.height)):
        area.put(LEFT + axis.now_x, row, "\u2502", BRIGHT)
    draw_steps(area, y, LEFT, axis)
    if y + 2 < area.height:
        area.put(LEFT, y + 2, caption(ui), FAINT)


def draw_steps(area: Area, y: int, left: int, axis: FoldedAxis) -> None:
    """Two rows: what each step is and when it was, dots for what is not shown yet."""
    area.put(1, y, "steps", DIM)
    for place in axis.places:
        part, x = place.part, left + place.x
        index = axis.parts.index(part)
        if index > axis.here:
            area.put(x + place.width // 2, y, "\u00b7", FAINT)
        elif part.step is None:
            area.put(x + 1, y, silence_words(_shown_silence(axis, part, index)), DIM)
        else:
            text = label_of(part, place.width - 1)
            tone = part.step.words[-1].tone
            look = filled(FILLS.get(tone, "selected"), "bright") if index == axis.here else TONES.get(tone, DIM)
            area.put(x, y, f" {text} "[: place.width], look)
            area.put(x + 1, y + 1, _since(axis, part), BRIGHT if index == axis.here else FAINT)


def _shown_silence(axis: FoldedAxis, part: Part, index: int) -> int:
    """Of the silence in view only what has passed."""
    until_ns = min(part.until_ns, axis.director.t_ns) if index == axis.here else part.until_ns
    return until_ns - part.from_ns


def label_of(part: Part, room: int) -> str:
    """As many words of a step as there is room for, what came of it first."""
    assert part.step is not None
    words = [word.text for word in part.step.words]
    text = words[-1]
    for word in reversed(words[:-1]):
        if len(text) + len(word) + 1 > room:
            break
        text = f"{word} {text}"
    return text[:room]


def _since(axis: FoldedAxis, part: Part) -> str:
    """Milliseconds since the deed; for the deed itself its time in the run."""
    ms = part.since_ns // 1_000_000
    if not ms:
        return f"{axis.director.recording.seconds(part.from_ns):.2f} s"
    return f"+{ms}" if ms < 10_000 else f"+{ms / 1000:.1f} s"


def caption(ui: UiState) -> str:
    """How the axis is read."""
    return f"each step {ui.director.pace_ms / 1000:g} s, each silence {SILENCE_MS / 1000:g} s, times in ms"
