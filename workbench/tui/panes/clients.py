"""Pane 7: Kafka clients, transactional ids, and consumer groups with their members and a chart of rebalances."""

from __future__ import annotations

from rich.style import Style

from cluster.faults.grammar import known_commands
from cluster.picture.asked import GroupState, MemberState
from workbench.session.views.clients import ClientLine, client_lines
from workbench.session.views.group_rows import GroupRow, name_of, phase_of, short_parts
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.panes.sequence import draw_arrow
from workbench.tui.panes.transactional_ids import draw_transactional_ids, rows_wanted
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FAINT, GOOD, INFO, SELECTED, TEXT, TONES, WARN
from workbench.tui.ui_state import UiState

PHASES = ("JOIN", "SYNC", "STABLE")
CONSUMER_PHASES = ("ASSIGN", "RECONCILE", "STABLE")
"""Of a group of the newer protocol."""
LABEL = 10
GAP_LEAST = 9
LOW = 6
"""So few rows are for the members alone."""
TIMED_WIDTH = 60
"""A chart less wide leaves the times out."""


def headline(ui: UiState) -> str:
    """Which group is shown, of how many; else how many clients there are."""
    count = len(ui.view.groups)
    if not count:
        clients = len(client_lines(ui.view.connections.values()))
        ids = len(ui.view.transactions)
        parts = [f"{clients} connected" if clients else "", f"{ids} transactional id{'s' * (ids > 1)}" if ids else ""]
        line = "  ".join(filter(None, parts))
        return line or ("what they were told" if ui.held_talk else "nobody from outside")
    return f"group {safe_text(ui.group, 24)}" + (
        f"  {ui.keyboard.sign('group.next')}: {ui.group_place + 1} of {count}" if count > 1 else ""
    )


def draw_clients(area: Area, ui: UiState) -> None:
    """Kafka clients on top; below them the chosen group: phase, members, chart; and transactional ids last of all."""
    group = ui.view.groups.get(ui.group)
    lines = client_lines(ui.view.connections.values())
    ids = rows_wanted(ui.view)
    if group is None and not lines and not ids and ui.held_talk:
        shown = [line for talk in ui.held_talk for line in wrap(talk, max(1, area.width - 2))]
        for y, line in enumerate(shown[-area.height :]):
            area.put(1, y, line, TEXT)
        return
    if group is None and not lines and not ids:
        for y, line in enumerate(wrap(_hint(ui), max(1, area.width - 2))):
            area.put(1, y, line, DIM)
        return
    is_alone = group is None and not ids
    room = area.height if is_alone else max(1, area.height // 3)
    y = _clients(area.part(0, 0, area.width, room), lines, is_alone=is_alone) if lines else 0
    least = area.height - y if group is None else max(2, (area.height - y) // 3)
    below = min(ids, least)
    if group is not None:
        _group(area.part(0, y, area.width, area.height - y - below), ui, group)
    if below:
        top = y if group is None else area.height - below
        draw_transactional_ids(area.part(0, top, area.width, below), ui)


def _clients(area: Area, lines: list[ClientLine], *, is_alone: bool) -> int:
    """Who, with what, where, what it asks: two rows each when there is room, else one. Rows used."""
    rows_each = 2 if is_alone and 2 * len(lines) <= area.height else 1
    shown = lines if rows_each * len(lines) <= area.height else lines[: max(0, area.height - 1)]
    wide = max(10, min(26, area.width // 4))
    for place, line in enumerate(shown):
        y = place * rows_each
        x = area.put(1, y, _cut(line.name or "no name", wide).ljust(wide), BRIGHT)
        if area.width >= TIMED_WIDTH or rows_each == 2:
            x = area.put(x + 1, y, f"{_cut(line.software or 'software unknown', 30)} ", DIM)
        x = area.put(x + 1, y, " ".join(node_name(node) for node in line.nodes) + " ", INFO)
        asks = ", ".join(f"{api} {count}" for api, count in line.asks[:4])
        about = f"  {line.about}" if line.about else ""
        if rows_each == 2:
            x, y = 3, y + 1
        if line.lost:
            x = area.put(x, y, f"{line.lost} answer{'s' * (line.lost > 1)} lost  ", BAD)
        area.put(x, y, _cut(asks + about, area.width - x - 1), TEXT)
    if len(lines) > len(shown):
        area.put(1, len(shown), f"and {len(lines) - len(shown)} more clients", WARN)
    return min(rows_each * len(lines), area.height)


def _cut(text: str, room: int) -> str:
    return fit(text, room)


def _group(area: Area, ui: UiState, group: GroupState) -> None:
    _head(area, ui, group)
    members = _in_order(group)
    room = max(1, (area.height - 2) // 2 if area.height > LOW else area.height - 1)
    shown = members if len(members) <= room else members[: room - 1]
    y = 1
    for member in shown:
        _member(area, y, ui, group, member)
        y += 1
    if len(members) > len(shown):
        area.put(1, y, f"and {len(members) - len(shown)} more members", WARN)
        y += 1
    if not members:
        area.put(1, y, "no member", DIM)
        y += 1
    lag = ui.view.lag(group, group.committed)
    if not members and lag is not None:
        area.put(12, y - 1, f"lag {lag}", WARN if lag else DIM)
    _chart(area.part(0, y, area.width, area.height - y), ui, group, members)


def _hint(ui: UiState) -> str:
    """How to get a client or a group, as far as this run and the grammar know one."""
    forms = [f": {item.usage}" for item in known_commands() if "group=" in item.usage]
    lines = ["No outside client is connected, and no consumer group has been heard of yet."]
    if ui.view.acked:
        lines.append("What is written and read here comes from the built-in clients.")
    if ui.bootstrap:
        moved = [ui.moved_ports] if ui.moved_ports else []
        lines += ["", "Kafka clients:", *ui.bootstrap, *moved, "", f"kcat{ui.kcat_options} -b {ui.bootstrap[0]} -L"]
        lines += [] if ui.kcat_options else ["every account of this machine may use these ports"]
    return "\n".join([*lines, *(["", "A consumer joins a group with the command", *forms] if forms else [])])


def _in_order(group: GroupState) -> list[MemberState]:
    return sorted(group.members.values(), key=lambda member: (name_of(group, member.member_id), member.member_id))


def _head(area: Area, ui: UiState, group: GroupState) -> None:
    """The phases with the present one marked, then the generation and who keeps the group."""
    x, phases = 1, CONSUMER_PHASES if group.is_consumer else PHASES
    present = phase_of(group.state)
    for phase in phases:
        x = area.put(x, 0, f" {phase} ", SELECTED if phase == present else FAINT)
    if present and present not in phases:
        x = area.put(x, 0, f" {present} ", SELECTED)
    node = ui.view.nodes.get(group.coordinator)
    if group.coordinator < 0 or node is None:
        keeper, look = "no coordinator", BAD
    elif node.process == "down":
        keeper, look = f"{node_name(group.coordinator)}\u2717", BAD
    else:
        keeper, look = node_name(group.coordinator), TEXT
    counted = "group epoch" if group.is_consumer else "generation"
    facts = [f"{counted} {group.generation}", *([group.protocol] if group.protocol else [])]
    long = f" {'  '.join(safe_text(fact, 24) for fact in facts)}  kept by "
    text = (
        long
        if x + len(long) + len(keeper) <= area.width
        else f" {'epoch' if group.is_consumer else 'gen'} {group.generation} at "
    )
    area.put(area.put(x, 0, text, BRIGHT), 0, keeper, look)


def _member(area: Area, y: int, ui: UiState, group: GroupState, member: MemberState) -> None:
    """Leader's star, name, partitions, committed offset of a single one, lag."""
    wide = max(8, min(24, area.width // 3))
    name = name_of(group, member.member_id) + ("=" if member.instance_id else "")
    area.put(1, y, "\u2605" if member.member_id == group.leader else " ", GOOD)
    area.put(3, y, fit(name, wide), BRIGHT)
    lag = ui.view.lag(group, member.assigned)
    lag_text = "" if lag is None else f"{_committed(group, member)}lag {lag} "
    room = area.width - wide - 6 - len(lag_text)
    if member.epoch is not None:
        parts, look = _reconciling(member)
    elif member.owned is not None and set(member.owned) != set(member.assigned):
        parts, look = f"{short_parts(member.assigned)}, owns {short_parts(member.owned)}", WARN
    else:
        parts, look = short_parts(member.assigned), TEXT if member.assigned else DIM
    area.put(4 + wide, y, fit(parts, room), look)
    area.right(y, lag_text, WARN if lag else DIM)


def _committed(group: GroupState, member: MemberState) -> str:
    """Of the only partition that a member has; of several the lag says enough."""
    offset = group.committed.get(member.assigned[0]) if len(member.assigned) == 1 else None
    return "" if offset is None else f"committed {offset}, "


def _reconciling(member: MemberState) -> tuple[str, Style]:
    """A member of the newer protocol: its epoch, what it may have, and what its target says when that is not all."""
    parts = f"e{member.epoch}: {short_parts(member.assigned)}"
    awaited = tuple(part for part in member.target if part not in member.assigned)
    gives = f", gives up {short_parts(member.revoking)}" if member.revoking else ""
    awaits = f", awaits {short_parts(awaited)}" if awaited else ""
    return parts + gives + awaits, WARN if gives or awaits else TEXT if member.assigned else DIM


def _chart(area: Area, ui: UiState, group: GroupState, members: list[MemberState]) -> None:
    """The coordinator's column stands first, one for each member follows."""
    all_rows = ui.view.group_rows.get(group.name, [])
    if area.height < 3 or not all_rows:
        return
    ui.group_back = max(0, min(ui.group_back, len(all_rows) - 1))
    rows = all_rows[: len(all_rows) - ui.group_back][-(area.height - 1) :]
    label = LABEL if area.width >= TIMED_WIDTH else 0
    room = area.width - label - 6
    fitting = members[: max(1, room // GAP_LEAST)]
    gap = min(26, max(GAP_LEAST, room // max(1, len(fitting))))
    columns = {"": label + 3}
    columns |= {member.member_id: label + 3 + place * gap for place, member in enumerate(fitting, start=1)}
    for member_id, x in columns.items():
        name = name_of(group, member_id) if member_id else node_name(group.coordinator)
        name = fit(name, gap - 1)
        start = min(x - min(len(name) // 2, 6), area.width - len(name))
        area.put(max(label, start), 0, name, BRIGHT)
    if ui.group_back:
        area.right(0, f"\u2193 {ui.group_back} newer ", WARN)
    for y, row in enumerate(rows, start=1):
        for x in columns.values():
            area.put(x, y, "\u2502", FAINT)
        if label:
            area.put(1, y, f"{ui.recording.seconds(row.t_ns):8.2f}s", DIM)
        _row(area, y, group, row, columns)


def _row(area: Area, y: int, group: GroupState, row: GroupRow, columns: dict[str, int]) -> None:
    """What concerns somebody who has no column is a note of the coordinator's."""
    text = row.text
    if row.source in columns and row.target in columns:
        if row.source or row.target:
            draw_arrow(area, y, (row.source, row.target), (text, *row.few), row.tone, columns)
            return
    else:
        text = f"{name_of(group, row.source or row.target)}: {text}"
    room = area.width - columns[""] - 2
    shown = fit(text, room)
    area.put(columns[""] + 2, y, shown, TONES.get(row.tone, TEXT))
