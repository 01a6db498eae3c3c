"""Draws the whole screen onto a canvas: layout, panes, overlays."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from workbench.session.describe.sentences import node_name
from workbench.tui.drawing.canvas import Area, Canvas, Rect, panel, wrap
from workbench.tui.drawing.layout import LEAST_HEIGHT, LEAST_WIDTH, arrange, fits
from workbench.tui.drawing.spots import Spot
from workbench.tui.modes import (
    AskingToLeave,
    Blank,
    Comparison,
    Ending,
    Faults,
    Help,
    Jump,
    Loading,
    Overlay,
    Palette,
    Starting,
    Typing,
    Verdicts,
    Why,
    seen,
)
from workbench.tui.panes.clients import draw_clients
from workbench.tui.panes.clients import headline as clients_headline
from workbench.tui.panes.cluster_map import draw_map
from workbench.tui.panes.command_bar import bar_rows, draw_bar, draw_suggestions
from workbench.tui.panes.comparison import draw_comparison, title_of_comparison
from workbench.tui.panes.events import draw_events, title_of_events
from workbench.tui.panes.fault_console import draw_console
from workbench.tui.panes.folded_timeline import draw_time, time_headline
from workbench.tui.panes.help import draw_help
from workbench.tui.panes.jump import draw_jump
from workbench.tui.panes.lesson import draw_lesson
from workbench.tui.panes.logs import draw_logs
from workbench.tui.panes.palette import draw_palette
from workbench.tui.panes.presenter import ROWS, draw_banner
from workbench.tui.panes.progress import draw_end, draw_loading, draw_start
from workbench.tui.panes.quorum import draw_quorum, headline
from workbench.tui.panes.status import answer_lines, answer_of, draw_answer, draw_header, draw_keys
from workbench.tui.panes.verdicts import draw_verdicts
from workbench.tui.panes.why import draw_why, why_lines
from workbench.tui.theme.palette import BAR, BRIGHT, DIM, FAINT, pointed
from workbench.tui.ui_state import UiState

DRAW: dict[str, Callable[[Area, UiState], None]] = {
    "lesson": draw_lesson,
    "map": draw_map,
    "quorum": draw_quorum,
    "logs": draw_logs,
    "isr": draw_time,
    "events": draw_events,
    "clients": draw_clients,
}


def title_of(name: str, ui: UiState) -> tuple[str, str]:
    """(title with its key, note) of a pane."""
    said = ui.keyboard.said
    match name:
        case "lesson":
            return "[1] Lesson", ui.page.title if ui.page.title != ui.title else ""
        case "map":
            chosen = f"{node_name(ui.node)} selected" if ui.node else said(f"{ui.how_to_select} select a node")
            if ui.marked and ui.marked != ui.node:
                link = f"link {node_name(ui.marked)}\u2192{node_name(ui.node)}: "
                chosen = link + said("{net.cut.one} {net.cut.both} {net.delay}")
            return "[2] Cluster", chosen
        case "quorum":
            return "[3] Quorum", headline(ui)
        case "logs":
            logs = ui.view.shown_logs()
            return "[4] Logs", f"{ui.log}  ({said('{log.next}')}: {ui.log_place + 1} of {len(logs)})"
        case "clients":
            return "[7] Clients", clients_headline(ui)
        case "isr":
            return "[5] ISR & timeline", time_headline(ui)
        case _:
            return title_of_events(ui)


def draw_screen(width: int, height: int, ui: UiState) -> Canvas:
    """One frame, in the glyphs and colours that the terminal can show."""
    canvas = _draw(width, height, ui)
    if ui.glyphs != "full":
        canvas.reduce(to_ascii=ui.glyphs == "ascii")
    return canvas


def _draw(width: int, height: int, ui: UiState) -> Canvas:
    canvas = Canvas(width, height)
    if not fits(width, height):
        _notice(canvas, ui)
        return canvas
    mode = seen(ui.mode)
    if isinstance(mode, Starting | Loading | Ending):
        _progress(canvas, ui, mode)
        return canvas
    if isinstance(mode, Blank):
        canvas.put(1, height - 1, "any key shows the screen again", FAINT)
        return canvas
    lanes = len(ui.view.owners_of(ui.log))
    banner = ROWS if ui.presenting else 0
    places = arrange(
        width, height, zoom=ui.zoom, main=ui.main, lanes=lanes, banner=banner, side=ui.side, clients=ui.has_clients
    )
    for name, draw in DRAW.items():
        if name in places:
            title, note = title_of(name, ui)
            canvas.spots.append(Spot(*places[name], "pane", (name,)))
            draw(panel(canvas, places[name], title, note, focused=name == ui.focus), ui)
    if ui.presenting:
        draw_banner(canvas.area(places["banner"]), ui)
        _point(canvas, ui)
    draw_header(canvas.area(places["header"]), ui)
    if ui.overlay is not None:
        _overlay(canvas, ui, ui.overlay)
    if isinstance(ui.mode, Typing):
        rows = bar_rows(ui.mode, width)
        draw_bar(canvas.area(Rect(0, height - 1 - rows, width, 1)), ui.line)
        draw_suggestions(canvas.area(Rect(0, height - rows, width, rows)), ui.mode, ui.line.text)
    else:
        draw_keys(canvas.area(places["keys"]), ui)
        rows = len(answer_lines(ui, width))
        answer = canvas.area(Rect(0, height - 1 - rows, width, rows))
        if rows > 1:
            answer.clear(BAR)
        draw_answer(answer, ui)
    return canvas


def _point(canvas: Canvas, ui: UiState) -> None:
    """The row below the pointer, across its pane: a room sees where the speaker points."""
    if ui.pointer is None:
        return
    x, y = ui.pointer
    for spot in canvas.spots:
        if spot.kind == "pane" and spot.holds(x, y) and spot.y < y < spot.y + spot.height - 1:
            row = canvas.styles[y]
            row[spot.x + 1 : spot.x + spot.width - 1] = [
                pointed(look) for look in row[spot.x + 1 : spot.x + spot.width - 1]
            ]


def _overlay(canvas: Canvas, ui: UiState, overlay: Overlay) -> None:
    """What lies over the panes, framed, as high as it needs to be."""
    width, height = min(canvas.width - 4, 112), min(canvas.height - 4, 38)
    said = ui.keyboard.said
    draw: Callable[[Area, UiState], None]
    match overlay:
        case Verdicts():
            title, draw = "Verdicts", draw_verdicts
            note = said("{up} {down} choose, {enter} shows what broke it, {close} closes")
        case Faults():
            title, draw, height = "Faults and links", draw_console, min(height, len(ui.view.nodes) + 14)
            names = ("node.kill", "node.restart", "node.pause", "fault.undo", "net.heal")
            kill, restart, pause, undo, heal = (ui.keyboard.first(name) for name in names)
            note = said("enter stages  space cuts  {close} closes")
            note += f"  {kill} {restart} {pause} node  {undo} undo  {heal} heal  R again  S script"
        case Jump():
            title, draw = "Jump", draw_jump
            height = min(height, max(8, len(ui.recording.timeline.all_marks())) + 2)
            note = said("{up} {down} choose, {enter} goes there, {pane.1}-{pane.7} a pane, {close} closes")
        case Palette():
            title, draw = "Find", lambda area, ui: draw_palette(area, ui, overlay)
            note = said("enter does it, tab puts it into the command bar, {up} {down} choose, {close} closes")
        case Comparison():
            draw, (title, note) = draw_comparison, title_of_comparison(ui)
        case Why():
            title, draw = "Why?", draw_why
            height = min(height, len(why_lines(overlay, ui.recording, width - 2)) + 2)
            note = said("{up} {down} go to the steps, {right} opens the proof, {left} folds it, {close} closes")
        case Help():
            title, draw = "Help", draw_help
            note = said("/ searches, tab another pane, {up} {down} turn, {close} closes")
        case _:
            assert_never(overlay)
    rect = Rect((canvas.width - width) // 2, (canvas.height - height) // 2, width, height)
    around = Rect(rect.x - 1, rect.y, rect.width + 2, rect.height)
    canvas.area(around).clear()
    canvas.spots.append(Spot(*around, "overlay", (title,)))
    draw(panel(canvas, rect, title, note, focused=True), ui)


def _notice(canvas: Canvas, ui: UiState) -> None:
    """Instead of a screen that has no room; the question before leaving and the help are seen all the same."""
    if isinstance(ui.overlay, Help):
        draw_help(canvas.area(Rect(0, 0, canvas.width, canvas.height - 1)), ui)
        canvas.put(0, canvas.height - 1, ui.keyboard.said("{close} closes"), DIM)
        return
    lines = [f"needs {LEAST_WIDTH} x {LEAST_HEIGHT}", f"this is {canvas.width} x {canvas.height}"]
    if isinstance(ui.mode, AskingToLeave):
        lines[1:] = wrap(answer_of(ui).text, max(1, canvas.width - 2))
    else:
        lines.append(ui.keyboard.said("{quit} quits, {help} lists the keys"))
    top = max(0, canvas.height // 2 - 1)
    for y, line in enumerate(lines, start=top):
        canvas.put(max(0, (canvas.width - len(line)) // 2), y, line, BRIGHT if y == top else DIM)


def _progress(canvas: Canvas, ui: UiState, mode: Starting | Loading | Ending) -> None:
    rect = Rect(0, 0, canvas.width, canvas.height)
    match mode:
        case Loading(how_far):
            draw_loading(panel(canvas, rect, "workbench", "opening the recording", focused=True), ui, how_far)
        case Ending(what):
            draw_end(panel(canvas, rect, "workbench", "ending the cluster", focused=True), ui, what)
        case Starting():
            draw_start(panel(canvas, rect, "workbench", "starting the cluster", focused=True), ui)
        case _:
            assert_never(mode)
