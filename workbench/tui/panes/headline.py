"""The second row: what happened last, in one sentence. Nothing else has to be read to follow the play."""

from __future__ import annotations

from rich.style import Style

from workbench.session.story.headline import Headline, headline
from workbench.tui.drawing.canvas import Area, fit, whole
from workbench.tui.theme.palette import FILL_OF, RAISED, style
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

FRESH_NS = 1_000_000_000
"""How long, on the clock of the screen, a headline is filled."""
NO_CLUSTER = "The cluster of this step is not there yet."
"""What the screen says while a step of a lesson waits that begins another cluster than the one before."""
ROLE_OF = {"good": "yes", "bad": "no", "warn": "ask", "info": "bright", "dim": "dim", "text": "bright"}


def told_now(ui: UiState) -> Headline:
    """What happened last at the moment in view; nothing of a cluster that the step in view has no part of."""
    if ui.page.awaits_cluster:
        return Headline(NO_CLUSTER, "", "dim", None)
    recording = ui.recording
    return headline(recording.story, ui.view, recording.cursor, ui.shown_ns)


def draw_headline(area: Area, ui: UiState) -> None:
    """Filled while it is news, then bold."""
    headline = told_now(ui)
    moment = headline.moment
    is_fresh = moment is not None and ui.shown_ns - moment.t_ns <= FRESH_NS
    ground = FILLS[FILL_OF.get(headline.tone, "selected")].dark if is_fresh else RAISED
    role = ROLE_OF.get(headline.tone, "bright")
    area.clear(style("text", ground))
    first, rest = _parts(f"{headline.glyph} {headline.text}".lstrip())
    strong: Style = style(role, ground, bold=True)
    room = area.width - 2
    if rest and len(first) + 2 + len(rest) > room:  # what it cost is told before how many votes there were
        first = few if (few := f"{first.rpartition(', ')[0]}.") != "." else first
    x = area.put(1, 0, fit(first, room), strong)
    if rest and room - x > 4:
        x += 1 if first.endswith(":") else 2
        area.put(x, 0, whole(rest, area.width - x - 1), style("bright" if is_fresh else "text", ground))
    if moment is not None:
        area.spot(0, 0, area.width, 1, "event", moment.place, -1)


def _parts(text: str) -> tuple[str, str]:
    """The first sentence and what follows it."""
    for sign in (".  ", ": ", ". "):
        first, separator, rest = text.partition(sign)
        if separator:
            return first + sign.rstrip(), rest.lstrip()
    return text, ""
