"""Draws the whole screen onto a canvas: layout, panes, overlays."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import assert_never

from workbench.session.story.cells import CLOSEUP, LOGS
from workbench.tui import modes
from workbench.tui.drawing.canvas import Area, Canvas, Rect, head, panel, wrap
from workbench.tui.drawing.layout import LEAST_HEIGHT, LEAST_WIDTH, arrange, fits, is_small, words_width
from workbench.tui.drawing.spots import Spot
from workbench.tui.panes.clients import draw_clients
from workbench.tui.panes.clients import headline as clients_headline
from workbench.tui.panes.closeup import closeup_note, draw_closeup
from workbench.tui.panes.cluster_map import draw_map, map_note
from workbench.tui.panes.command_bar import bar_rows, draw_bar, draw_suggestions
from workbench.tui.panes.events import draw_events, title_of_events
from workbench.tui.panes.folded_timeline import draw_time, time_headline
from workbench.tui.panes.header import LOST, draw_header
from workbench.tui.panes.headline import NO_CLUSTER, draw_headline
from workbench.tui.panes.lesson import asked_rows, draw_lesson
from workbench.tui.panes.logs import draw_logs, logs_note
from workbench.tui.panes.missions import draw_missions, draw_task_line, mission_rows
from workbench.tui.panes.missions import headline as missions_headline
from workbench.tui.panes.presenter import ROWS, draw_banner
from workbench.tui.panes.progress import draw_end, draw_loading, draw_start
from workbench.tui.panes.spotlight import frame, room_for
from workbench.tui.panes.status import answer_of, draw_answer, draw_keys, draw_keys_of
from workbench.tui.panes.tour import draw_tour
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, POINTED, WORDS
from workbench.tui.ui_state import UiState

DRAW: dict[str, Callable[[Area, UiState], None]] = {
    "lesson": lambda area, ui: draw_missions(area, ui) if ui.shows_missions else draw_lesson(area, ui),
    "map": draw_map,
    "quorum": draw_closeup,
    "logs": draw_logs,
    "isr": draw_time,
    "events": draw_events,
    "clients": draw_clients,
}

AGE_NS = {
    "lesson": 150_000_000, "isr": 500_000_000, "quorum": 150_000_000, "map": 66_000_000, "logs": 250_000_000
}  # fmt: skip
"""How old a pane may be while the newest is followed and nothing happens but that time passes and records go by."""
STRIP_ROWS, STRIP_COLUMNS = 6, 40
"""From so much on a screen that is too small says at least who leads, and what happened last."""


def title_of(name: str, ui: UiState) -> tuple[str, str]:
    """(title with its key, note) of a pane."""
    match name:
        case "lesson" if ui.missions is not None and ui.shows_missions:
            return f"1 {ui.missions.title}", missions_headline(ui.missions)
        case "lesson":
            if not ui.lesson:
                return f"1 {ui.page.title}", ""
            return "1 Lesson", ui.page.title if ui.page.title != ui.title else ""
        case "map":
            return "2 Cluster", map_note(ui)
        case "quorum":
            return "3 Close-up", closeup_note(ui)
        case "logs":
            return "4 Logs", logs_note(ui)
        case "clients":
            return "7 Clients", clients_headline(ui)
        case "isr":
            return "5 Timeline", time_headline(ui)
        case _:
            return title_of_events(ui)


def draw_screen(width: int, height: int, ui: UiState) -> Canvas:
    """One frame, in the glyphs and colours that the terminal can show."""
    canvas = _draw(width, height, ui)
    canvas.reduce(ui.glyphs)
    return canvas


def _draw(width: int, height: int, ui: UiState) -> Canvas:
    canvas = Canvas(width, height)
    if not fits(width, height):
        _notice(canvas, ui)
        return canvas
    mode = modes.seen(ui.mode)
    if isinstance(mode, modes.Starting | modes.Loading | modes.Ending):
        _progress(canvas, ui, mode)
        return canvas
    if isinstance(mode, modes.Blank):
        canvas.put(1, height - 1, "any key shows the screen again", FAINT)
        return canvas
    places = places_of(width, height, ui)
    _panes(canvas, ui, places)
    if "task" in places:
        draw_task_line(canvas.area(places["task"]), ui)
    _lay_words(canvas, places)
    if ui.presenting:
        draw_banner(canvas.area(places["headline"]), ui)
        _point(canvas, ui)
    else:
        draw_headline(canvas.area(places["headline"]), ui)
    draw_header(canvas.area(places["header"]), ui)
    keys: list[tuple[str, str]] = []
    if ui.overlay is not None and not isinstance(ui.overlay, modes.Tour):
        from workbench.tui.overlays import draw_overlay

        canvas.step_back()
        keys = draw_overlay(canvas, ui, ui.overlay)
    if isinstance(ui.mode, modes.Typing):
        rows = bar_rows(ui.mode, width)
        draw_bar(canvas.area(Rect(0, height - 1 - rows, width, 1)), ui.line)
        draw_suggestions(canvas.area(Rect(0, height - rows, width, rows)), ui.mode, ui.line.text)
    else:
        if keys:
            draw_keys_of(canvas.area(places["keys"]), keys)
        else:
            draw_keys(canvas.area(places["keys"]), ui)
        draw_answer(canvas, ui)
    if isinstance(ui.overlay, modes.Tour):
        draw_tour(canvas, places, ui, ui.overlay)
    return canvas


def _panes(canvas: Canvas, ui: UiState, places: dict[str, Rect]) -> None:
    """All of them; where a lesson holds the view only its words and one pane stand in front."""
    ui.is_question_in_sight = False
    held = ui.page.look_at if ui.page.look_at in places and ui.lesson else ""
    in_front = ("lesson", held) if held else ()
    for name in DRAW:
        if name in places and name not in in_front:
            _pane(canvas, ui, name, places[name])
    if not held:
        return
    canvas.step_back()
    if "lesson" in places:
        _pane(canvas, ui, "lesson", places["lesson"])
    if held != "lesson":
        room = room_for(places[held], ui.page.look, places["answer"].y, canvas.width)
        beside = Rect(room.x - 1, room.y, room.width + 2, places[held].height)
        canvas.area(beside).clear()
        _pane(canvas, ui, held, room)
        frame(canvas, room, ui.page.look, ui.held_nodes, ui.recording.cursor - 1)


def _pane(canvas: Canvas, ui: UiState, name: str, rect: Rect) -> None:
    """One pane; while the newest is followed not each in every frame."""

    def draw() -> None:
        title, note = title_of(name, ui)
        canvas.spots.append(Spot(*rect, "pane", (name,)))
        if ui.page.awaits_cluster and name != "lesson":  # a picture of the one before would pass for this one
            head(canvas, rect, title, focused=name == ui.focus).put(1, 0, NO_CLUSTER[: rect.width - 1], FAINT)
            return
        DRAW[name](head(canvas, rect, title, note, focused=name == ui.focus), ui)

    stands = ui.replay or ui.ended or ui.pace is not None and ui.pace.is_halted  # then the last word is to be shown
    is_kept = ui.recording.follows and not (ui.director.is_on or ui.lesson or stands)
    shows = _shows(name, ui) if is_kept else None
    if shows is None:
        draw()
    else:
        same = (ui.focus, ui.recording.run_count, ui.partition, *shows)
        ui.kept.draw(canvas, name, rect, draw, shows=same, age_ns=AGE_NS[name], now_ns=ui.shown_ns)


def _shows(name: str, ui: UiState) -> tuple[Hashable, ...] | None:
    """What a pane shows besides time that passes and records that go by; None for one that is drawn each time."""
    match name:
        case "lesson":
            page, done = ui.page, ui.missions.done_count if ui.missions is not None else 0
            return ui.recording.timeline.turns, page.title, page.heading, page.prose, ui.page_scroll, ui.node, done
        case "isr":
            timeline = ui.recording.timeline
            return timeline.start_ns, timeline.turns, len(timeline.own)
        case "quorum":
            view = ui.view
            newest = view.rows[-1] if view.rows else None
            return newest, view.newest_epoch, view.leader_of_newest_epoch, ui.log_index, ui.rows_back, ui.node
        case "map":
            return ui.recording.timeline.turns, len(ui.view.faults), ui.node, ui.marked, ui.how_to_select, ui.is_still
        case "logs":
            turns = ui.recording.timeline.turns
            return turns, ui.log_index, ui.log_back, ui.log_place, ui.node, ui.presenting, ui.glyphs
        case _:
            return None


def places_of(width: int, height: int, ui: UiState) -> dict[str, Rect]:
    """Where everything lies now. What stands beside the screen is not on it once more: the story has its room."""
    places = arrange(
        width,
        height,
        zoom=ui.zoom,
        main=ui.main,
        banner=ROWS - 1 if ui.presenting else 0,
        side=ui.side,
        clients=ui.has_clients,
        lesson=ui.lesson and not ui.text_beside,
        tasks=mission_rows(ui, words_width(width)) if ui.shows_missions else 0,
        figure=ui.page.figure_width if ui.lesson and not ui.text_beside else 0,
        show=ui.page.look_at if ui.lesson else told_pane(ui) if is_small(width, height) else "",
        asked=asked_rows(ui, width) if ui.lesson and not ui.text_beside and is_small(width, height) else 0,
    )
    words, story = places.get("lesson"), places.get("events")
    if ui.lesson and ui.text_beside and words is not None and story is not None and words.x == story.x:
        del places["lesson"]
        places["events"] = words._replace(height=words.height + story.height)
    return places


def told_pane(ui: UiState) -> str:
    """Where there is room for one large pane it is that of the headline, unless another was asked for since."""
    cells = ui.cells
    if cells is None or cells.pane not in (CLOSEUP, LOGS) or ui.main != CLOSEUP or ui.chosen_ns >= ui.told_ns:
        return ""
    return cells.pane


def _lay_words(canvas: Canvas, places: dict[str, Rect]) -> None:
    """The ground of the words, where they have a column of their own."""
    if "map" in places and "lesson" in places and places["lesson"].width < canvas.width:
        column = places["lesson"]
        body = places["answer"].y - column.y
        canvas.lay(Rect(0, column.y, column.width + 1, body), WORDS)


def _point(canvas: Canvas, ui: UiState) -> None:
    """The row below the pointer, across its pane: a room sees where the speaker points."""
    if ui.pointer is None:
        return
    x, y = ui.pointer
    for spot in canvas.spots:
        if spot.kind == "pane" and spot.holds(x, y) and spot.y < y < spot.y + spot.height:
            canvas.lay(Rect(spot.x, y, spot.width, 1), POINTED)


def _notice(canvas: Canvas, ui: UiState) -> None:
    """Instead of a screen that has no room: who leads and what happened last, and what to do.

    The question before leaving and the help are seen all the same."""
    if isinstance(ui.overlay, modes.Help):
        from workbench.tui.panes.help import draw_help

        draw_help(canvas.area(Rect(0, 0, canvas.width, canvas.height - 1)), ui)
        canvas.put(0, canvas.height - 1, ui.keyboard.said("{close} closes"), DIM)
        return
    lines = [f"enlarge to {LEAST_WIDTH} x {LEAST_HEIGHT}", f"this is {canvas.width} x {canvas.height}"]
    if isinstance(ui.mode, modes.AskingToLeave):
        lines[1:] = wrap(answer_of(ui).text, max(1, canvas.width - 2))
    else:
        lines.append(ui.keyboard.said("{quit} quits, {help} lists the keys"))
    has_strip = isinstance(ui.mode, modes.Watching) and ui.recording.entries and canvas.height >= STRIP_ROWS
    if has_strip and canvas.width >= STRIP_COLUMNS:
        draw_header(canvas.area(Rect(0, 0, canvas.width, 1)), ui)
        draw_headline(canvas.area(Rect(0, 1, canvas.width, 1)), ui)
    top = max(2 * bool(has_strip), canvas.height // 2 - 1)
    for y, line in enumerate(lines, start=top):
        canvas.put(max(0, (canvas.width - len(line)) // 2), y, line, BRIGHT if y == top else DIM)


def draw_late(width: int, height: int, ui: UiState, before: Canvas | None) -> Canvas:
    """One line over the picture that stands: a terminal that is too slow is given no more to show."""
    is_there = before is not None and (before.width, before.height) == (width, height)
    canvas = before.copy() if before is not None and is_there else Canvas(width, height)
    row = Canvas(width, 1)
    line = row.area(Rect(0, 0, width, 1))
    line.clear(LOST)
    what = ui.keyboard.said("The terminal is too slow, this is old: {quit} quits, {help} lists the keys, no other acts")
    line.put(1, 0, answer_of(ui).text if isinstance(ui.mode, modes.AskingToLeave) else what, LOST)
    row.reduce(ui.glyphs)
    canvas.paste(Rect(0, 0, width, 1), row.cells(Rect(0, 0, width, 1)))
    return canvas


def _progress(canvas: Canvas, ui: UiState, mode: modes.Starting | modes.Loading | modes.Ending) -> None:
    rect = Rect(0, 0, canvas.width, canvas.height)
    match mode:
        case modes.Loading(how_far):
            draw_loading(panel(canvas, rect, "workbench", "opening the recording", focused=True), ui, how_far)
        case modes.Ending(what):
            draw_end(panel(canvas, rect, "workbench", "ending the cluster", focused=True), ui, what)
        case modes.Starting():
            draw_start(panel(canvas, rect, "workbench", "starting the cluster", focused=True), ui)
        case _:
            assert_never(mode)
