"""Overlay: why an event happened. One sentence, the steps on lanes of nodes, and below them, folded, the proof."""

from __future__ import annotations

from rich.style import Style

from workbench.session.explanation import YOU, Explanation, Hop
from workbench.session.recording import Recording
from workbench.session.why import root
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.modes import Why
from workbench.tui.theme.palette import BRIGHT, DIM, INFO, SELECTED, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState

NAME_WIDTH = 9
"""Columns in which the names of the lanes stand."""
TEXT_ROWS, TEXT_ROWS_MOST = 2, 4
"""Rows below a lane for what happens there, and as many as a word that would be cut may have."""
PROOF = "The proof: "
SHOWN = "\u2500"
Line = tuple[int, str, Style]
"""Column, text and style."""


def draw_why(area: Area, ui: UiState) -> None:
    """Up and down go from step to step, or scroll the proof once it is open."""
    why = ui.overlay
    if not isinstance(why, Why):
        return
    lines = why_lines(why, ui.recording, area.width)
    last = max(0, len(lines) - area.height)
    if ui.overlay_scroll < 0:  # it was opened just now: where little of it has room, it comes to the top
        head = next(y for y, row in enumerate(lines) if any(PROOF in text for _, text, _ in row))
        ui.overlay_scroll = head if head > area.height // 2 else 0
    ui.overlay_scroll = min(ui.overlay_scroll, last)
    for y, row in enumerate(lines[ui.overlay_scroll : ui.overlay_scroll + area.height]):
        for x, text, look in row:
            area.put(x, y, text, look)
    if ui.overlay_scroll < last:
        area.right(area.height - 1, " \u2193 more ", WARN)


def why_lines(why: Why, recording: Recording, width: int) -> list[list[Line]]:
    """The pieces of every row."""
    explained = why.explained
    rows: list[list[Line]] = [[(2, line, TEXT)] for line in wrap(explained.question, width - 4)]
    rows.append([])
    rows += [[(4, line, BRIGHT)] for line in wrap(explained.sentence, width - 8)]
    rows.append([])
    rows += _picture(explained.hops, why.chosen, recording, width)
    rows.append([(2, SHOWN * (width - 4), DIM)])
    decided = sum(bool(link.rule) for link in explained.chain)
    mark = "\u25be" if why.is_open else "\u25b8"
    steps = f"{len(explained.chain)} step{'s' * (len(explained.chain) != 1)}, {decided} rule{'s' * (decided != 1)}"
    rows.append([(2, f"{mark} {PROOF}{steps} with the numbers that they compared", TEXT)])
    if why.is_open:
        rows += _proof(explained, recording, width)
    return rows


def _picture(hops: tuple[Hop, ...], chosen: int, recording: Recording, width: int) -> list[list[Line]]:
    """A lane for each node, time to the right; each step below its lane, with its number."""
    lanes = list(dict.fromkeys(hop.lane for hop in hops))
    lanes.sort(key=lambda lane: lane != YOU)
    step = max(8, (width - NAME_WIDTH - 4) // max(1, len(hops)))
    at = [2 + NAME_WIDTH + place * step for place in range(len(hops))]
    times = [(x, f"{recording.seconds(hop.t_ns):.3f}", DIM) for x, hop in zip(at, hops, strict=True)]
    rows: list[list[Line]] = [[piece for place, piece in enumerate(times) if not place or _is_new(hops, place)]]
    for number, lane in enumerate(lanes):
        line: list[Line] = [(2, "you" if lane == YOU else node_name(lane), TEXT)]
        line.append((at[0], "\u2500" * (width - at[0] - 2), DIM))
        parts_of: list[tuple[int, list[str]]] = []
        for place, hop in enumerate(hops):
            if hop.lane == lane:
                look = SELECTED if place == chosen else BRIGHT
                line.append((at[place], f" {place + 1} ", look))
                room = width - at[place] - 2 if place == len(hops) - 1 else step - 1
                parts_of.append((place, _below(hop.text, max(6, room))))
        below: list[list[Line]] = [[] for _ in range(max(TEXT_ROWS, *(len(parts) for _, parts in parts_of)))]
        for place, parts in parts_of:
            for row, part in zip(below, parts, strict=False):
                row.append((at[place], part, TEXT if place == chosen else INFO))
        for row in below:
            row[:0] = [(x + 1, "\u2502", DIM) for x in _passing(hops, at, lanes, number)]
        rows += [line, *below]
    return rows


def _below(text: str, room: int) -> list[str]:
    """What happens at a step, without its asides where these have no room; a sign says where more is cut."""
    for shorter in (text, text.partition(" (")[0], text.partition(", ")[0]):
        if len(lines := wrap(shorter, room)) <= TEXT_ROWS:
            return lines
    if len(lines) <= TEXT_ROWS_MOST:
        return lines
    return [*lines[: TEXT_ROWS_MOST - 1], fit(" ".join(lines[TEXT_ROWS_MOST - 1 :]), room)]


def _is_new(hops: tuple[Hop, ...], place: int) -> bool:
    """Whether a step has another time, as shown, than the one before."""
    return round(hops[place].t_ns / 1e6) != round(hops[place - 1].t_ns / 1e6)


def _passing(hops: tuple[Hop, ...], at: list[int], lanes: list[int], number: int) -> list[int]:
    """Columns of the steps that come to another lane past the rows below the lane of that number."""
    columns = []
    for place in range(1, len(hops)):
        ends = sorted((lanes.index(hops[place - 1].lane), lanes.index(hops[place].lane)))
        if ends[0] <= number < ends[1] and lanes[number] != hops[place].lane:
            columns.append(at[place])
    return columns


def _proof(explained: Explanation, recording: Recording, width: int) -> list[list[Line]]:
    """The event first, then its causes, each with the rule that decided it, its numbers and its source."""
    lines: list[Line] = []
    for place, link in enumerate(explained.chain):
        head = "" if place == 0 else "\u2514 because "
        time = f"{recording.seconds(link.entry.t_ns):.3f}s "
        look = BRIGHT if place == 0 else TONES[link.tone]
        lines += [(4, line, look) for line in wrap(f"{head}{time}{link.sentence}", width - 6)]
        for text, tone in (
            (f"rule {link.rule}" if link.rule else "", TEXT),
            (", ".join(link.numbers), INFO),
            (f"source: {link.source}" if link.source else "", DIM),
        ):
            lines += [(8, line, tone) for line in (wrap(text, width - 10) if text else ())]
    lines += [(4, line, WARN) for line in wrap(f"\u2514 root: {root(recording, list(explained.chain))}", width - 6)]
    return [[line] for line in lines]
