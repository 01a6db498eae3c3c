"""Overlay: what the checker says of each rule, what broke those that are broken, and where."""

from __future__ import annotations

from typing import NamedTuple

from cluster.invariants.verdicts.ledger import ASSUMPTIONS
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict, Violation
from workbench.session.live_verdicts import NOTHING_CHECKED
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name, plural
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, GOOD, INFO, SELECTED, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState

LOOKS = {
    Verdict.HOLDS: ("\u2713", "holds", GOOD),
    Verdict.VIOLATED: ("\u2717", "VIOLATED", BAD),
    Verdict.EXPECTED: ("!", "expected", WARN),
    Verdict.UNEXPECTED_PASS: ("?", "passed against the promise", BAD),
    Verdict.NOT_EVALUATED: ("\u00b7", "not evaluated", DIM),
}
LATE = "!", "late", WARN
"""Of a deadline that real processes missed."""
DETAIL_ROWS = 6
SHOWN_MAX = 3
"""Violations of one rule that are listed; how many there are stands beside the rule."""
WORST = (Verdict.VIOLATED, Verdict.UNEXPECTED_PASS, Verdict.EXPECTED, Verdict.HOLDS, Verdict.NOT_EVALUATED)


class Row(NamedTuple):
    """A rule, or one place where it is broken."""

    line: InvariantVerdict
    violation: Violation | None


def rows_of(ui: UiState) -> list[Row]:
    """Broken rules first, each followed by its violations; then those that hold, then those not evaluated."""
    table = ui.verdicts.table if ui.verdicts is not None else ()
    rows: list[Row] = []
    for line in sorted(table, key=lambda line: WORST.index(line.verdict)):
        rows.append(Row(line, None))
        rows += [Row(line, violation) for violation in line.violations[:SHOWN_MAX]]
    return rows


def chosen_row(ui: UiState) -> Row | None:
    """The selected one."""
    rows = rows_of(ui)
    return rows[min(ui.overlay_scroll, len(rows) - 1)] if rows else None


def chosen_violation(ui: UiState) -> Violation | None:
    """What the selected row can show: its own violation, or the first of its rule."""
    row = chosen_row(ui)
    if row is None:
        return None
    return row.violation or (row.line.violations[0] if row.line.violations else None)


def draw_verdicts(area: Area, ui: UiState) -> None:
    """The sum, the table around the selected line, and what the selected line is about."""
    verdicts = ui.verdicts
    text, tone = verdicts.line if verdicts is not None else (NOTHING_CHECKED, "dim")
    area.put(1, 0, text, TONES.get(tone, TEXT))
    if verdicts is not None:
        when = "the run is over" if verdicts.is_final else "some speak only at its end"
        silent = verdicts.count()[Verdict.NOT_EVALUATED]
        area.put(1, 1, f"{verdicts.judged} events judged, {silent} rules not evaluated; {when}", DIM)
    rows = rows_of(ui)
    room = max(1, area.height - DETAIL_ROWS - 4)
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, len(rows) - 1))
    first = max(0, min(ui.overlay_scroll - room // 2, len(rows) - room))
    late = verdicts.late if verdicts is not None else frozenset()
    for y, row in enumerate(rows[first : first + room], start=3):
        _row(area, y, row, is_late=row.line.info.id in late, is_selected=first + y - 3 == ui.overlay_scroll)
        area.spot(0, y, area.width, 1, "row", first + y - 3)
    if first + room < len(rows):
        area.right(3 + room, " \u2193 more ", WARN)
    if rows:
        detail = area.part(0, area.height - DETAIL_ROWS, area.width, DETAIL_ROWS)
        _detail(detail, rows[ui.overlay_scroll], ui.keyboard.sign("enter"))


def _row(area: Area, y: int, row: Row, *, is_late: bool, is_selected: bool) -> None:
    line = row.line
    glyph, word, look = LATE if is_late else LOOKS[line.verdict]
    if row.violation is None:
        counts = plural(line.checks, "check") + (
            f", broken {line.violation_count}\u00d7" if line.violation_count else ""
        )
        text = f" {glyph} {line.info.id:<4}{line.info.title}"
        room = area.width - len(counts) - 18
        text = fit(text, room)
        area.put(1, y, text.ljust(area.width - 2), SELECTED if is_selected else TEXT)
        if not is_selected:
            area.put(2, y, glyph, look)
        area.right(y, f" {counts}  {word:<14}", SELECTED if is_selected else look)
    else:
        sentence = safe_text(row.violation.sentence, 400)
        room = area.width - 9
        shown = fit(sentence, room)
        plain = BAD if row.violation.broken is None and not is_late else WARN
        area.put(7, y, shown.ljust(room), SELECTED if is_selected else plain)


def _detail(area: Area, row: Row, enter: str) -> None:
    """What the selected line is about, whole."""
    info, violation = row.line.info, row.violation or (row.line.violations[0] if row.line.violations else None)
    lines = [(text, BRIGHT) for text in wrap(f"{info.id}: {info.title}  ({info.source})", area.width - 2)]
    if violation is not None:
        lines += [(text, TEXT) for text in wrap(safe_text(violation.sentence, 400), area.width - 2)]
        if violation.broken is not None:
            excuse = safe_text(f"expected: {violation.broken.assumption} does not hold, {violation.broken.why}", 300)
            lines += [(text, WARN) for text in wrap(excuse, area.width - 2)]
        events = ", ".join(f"{node_name(event.node)}-{event.incarnation}#{event.seq}" for event in violation.events)
        lines += [(text, INFO) for text in wrap(f"events {events}: {enter} shows them", area.width - 2)]
    elif row.line.verdict is Verdict.NOT_EVALUATED:
        lines.append(("the events it looks at have not occurred; this says nothing", DIM))
    if info.assumptions:
        needs = "; ".join(ASSUMPTIONS[name] for name in info.assumptions)
        lines += [(text, DIM) for text in wrap(f"this can be promised while: {needs}", area.width - 2)]
    for y, (text, look) in enumerate(lines[: area.height]):
        area.put(1, y, text, look)
