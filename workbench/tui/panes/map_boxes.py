"""One node of the map: a frame that says its state, a title, and the rows that say most about it now."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.picture.logs import LogState
from cluster.picture.parts import NodeState
from workbench.session.views.cluster import ClusterView, disk_word, stops_percent
from workbench.support.safe_text import safe_text
from workbench.telling.words import exit_word, node_name
from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.panes.log_cells import few_cells
from workbench.tui.panes.map_places import TALL
from workbench.tui.panes.map_zookeeper import row_of_controller, rows_of_coordinator
from workbench.tui.panes.moment import moment_of
from workbench.tui.theme.palette import (
    BAD,
    CROWN,
    DIM,
    HW,
    INFO,
    LINE,
    TEXT,
    WARN,
    filled,
    style,
)
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

LIGHT, HEAVY, DASHED = (
    "\u256d\u2500\u256e\u2502\u2570\u256f",
    "\u250f\u2501\u2513\u2503\u2517\u251b",
    "\u256d\u254c\u256e\u254e\u2570\u256f",
)
NEWS_NS = 1_000_000_000
"""How long a change is filled, on the clock of the screen."""
OLD_NS = 10_000_000_000
"""After so long a node that is down is old news."""
NARROW = 18
"""A box less wide shows its state below its name, in short words."""
ASKING = ("candidate", "prospective")
TIMER_WORDS = {"check_quorum": "quorum", "election": "again"}
"""What a timer is called, where that is not its name."""
Part = tuple[str, Style]


class Look(NamedTuple):
    """How a node's state looks."""

    glyph: str
    word: str
    style: Style
    """Of the title."""
    edge: Style
    frame: str = LIGHT
    fill: str = ""
    """Fill of the inside, for what changed just now."""


def log_in_view(ui: UiState) -> TopicPartition | None:
    """The partition that brokers show."""
    return ui.partition


def look_of(ui: UiState, node: NodeState) -> Look:
    """The state that matters most; healthy ones are thin lines and grey words."""
    view, calm = ui.view, style("text", bold=True)
    if node.process == "down":
        age = ui.shown_ns - node.since_ns
        look = BAD if age < OLD_NS else style("no_trail", bold=True)
        word = "NO POWER" if node.power_lost else "KILLED" if age < OLD_NS and node.exit_code < 0 else "DOWN"
        return Look("\u2717", word, look, look, DASHED, "no" if age < NEWS_NS else "")
    if node.process == "paused":
        return Look("\u2016", "PAUSED", WARN, WARN)
    if node.process == "starting":
        return Look("\u25d4", "starting", WARN, LINE, DASHED)
    cut = _fresh_cut(ui, node.node_id)
    if cut:
        return Look("\u2702", cut, BAD, BAD, LIGHT, "no")
    if node.quorum_role == "leader" and view.leader_of_newest_epoch == node.node_id:
        return Look("\u2605", f"LEADER e{node.quorum_epoch}", CROWN, CROWN, HEAVY)
    tp = log_in_view(ui)
    for log in (*(() if view.zookeeper.is_used else (METADATA,)), *((tp,) if tp is not None else ())):
        if (epoch := view.zombie_epoch(log, node.node_id)) is not None:
            return Look("\u2606", f"still leads e{epoch}", WARN, WARN)
    if node.quorum_role in ASKING:
        word = f"CANDIDATE e{node.quorum_epoch}" if node.quorum_role == "candidate" else "asks around"
        return Look("\u25d4", word, WARN, WARN)
    leads = led_by(view, node.node_id)
    if leads:
        shown = tp if tp in leads else leads[0]
        more = f" +{len(leads) - 1}" if len(leads) > 1 else ""
        look = CROWN if shown == tp else calm
        return Look(
            "\u2605",
            f"leads {safe_text(shown.topic, 20)}-{shown.partition}{more}",
            look,
            look if look is CROWN else LINE,
        )
    if _is_out(view, node):
        return Look("\u25cf", "NO SESSION" if view.zookeeper.is_used else "FENCED", WARN, LINE)
    item = view.partitions.get(tp) if tp is not None else None
    if item is not None and node.node_id in item.replicas:
        if node.node_id not in item.isr:
            return Look("\u25cf", "out of the ISR", WARN, LINE)
        lags = node.node_id in item.lagging
        return Look("\u25cf", "lags" if lags else item.member_word, WARN if lags else calm, LINE)
    return Look("\u25cf", _role_word(node), calm, LINE)


def _role_word(node: NodeState) -> str:
    if node.roles == ("zookeeper",):
        return "ZooKeeper"
    words = {"observer": "broker", "unattached": "no leader", "resigned": "gave up"}
    words[""] = "broker" if node.roles == ("broker",) else "up"
    return words.get(node.quorum_role, safe_text(node.quorum_role, 20))


def led_by(view: ClusterView, node: NodeId) -> list[TopicPartition]:
    """Partitions of topics that a broker leads."""
    return [tp for tp in view.data_logs() if tp in view.partitions and view.partitions[tp].leader == node]


def _fresh_cut(ui: UiState, node: NodeId) -> str:
    """CUTS 161→158 while that is news."""
    for log in (METADATA, log_in_view(ui)):
        lane = ui.view.logs.get((node, log)) if log is not None else None
        cut = lane.newest_cut if lane is not None else None
        if cut is not None and 0 <= ui.shown_ns - cut.t_ns < NEWS_NS:
            return f"CUTS {cut.old_end_offset}\u2192{cut.end_offset}"
    return ""


def draw_box(box: Area, ui: UiState, node: NodeState, side: str) -> None:
    """side: letter of the side of a cut network; empty while it hangs together."""
    look, wide, last = look_of(ui, node), box.width, box.height - 1
    left_top, flat, right_top, edge, left_low, right_low = tuple(look.frame)
    selected = ui.node == node.node_id
    box.put(0, 0, left_top + flat * (wide - 2) + right_top, look.edge)
    box.put(0, last, left_low + flat * (wide - 2) + right_low, look.edge)
    ground = (
        FILLS[look.fill].dark if look.fill else FILLS["selected"].dark if selected and look.frame is not DASHED else ""
    )
    for y in range(1, last):
        box.put(0, y, edge + " " * (wide - 2) + edge, look.edge)
    narrow = wide < NARROW + 2 * bool(side)
    mark = (
        ("\u25c6" if ui.marked == node.node_id else "") + ("\u25b8 " if selected else "") + (f"{side} " if side else "")
    )
    title = f" {mark}{node_name(node.node_id)} {look.glyph} "
    title = title if narrow else titled(title, look.word, wide - 3)
    box.put(2, 0, title[: wide - 3], filled(look.fill, "bright") if look.fill else look.style)
    rows = rows_of(ui, node, wide - 4, max(0, box.height - TALL))
    if narrow:
        is_calm = look.style not in (BAD, WARN, CROWN)
        has_alarm = any(tone in (WARN, BAD) for row in rows[: max(0, last - 1)] for _, tone in row)
        word = look.word if len(look.word) <= wide - 4 else look.word.partition(" ")[0]
        rows = rows if is_calm and has_alarm else [[(word, look.style)], *rows]
    for y, parts in enumerate(rows[: last - 1], start=1):
        x = 2
        for text, tone in parts:
            x = box.put(x, y, text[: max(0, wide - 2 - x)], tone)
    if ground:
        box.canvas.lay(box.rect.inner(), ground)


SHORTER = {"follower": "follows"}
"""Words that have another one which says the same in less room."""


def titled(head: str, word: str, room: int) -> str:
    """The name and what it is, in as many columns as there are: half a name of a topic would be another one."""
    shorter = word.removeprefix("leads ") if word.startswith("leads ") else word.rpartition(" ")[0]
    shorter = SHORTER.get(word, shorter)
    tight = head.replace("\u25b8 ", "\u25b8")  # what is said goes before the blank beside the sign of the selection
    texts = [f"{head}{word} ", f"{head}{word}", f"{tight}{word}"]
    texts += [f"{head}{shorter} ", f"{head}{shorter}"] if shorter else []
    return next((text for text in texts if len(text) <= room), tight + fit(shorter or word, max(1, room - len(tight))))


def rows_of(ui: UiState, node: NodeState, room: int, more: int = 0) -> list[list[Part]]:
    """What the box says, from the top; troubles come first, and a low box shows only the first rows.

    more: rows that a tall box has for older records.
    """
    view = ui.view
    troubles = [[(text, look)] for text, look in _troubles(ui, node, narrow=room < NARROW)]
    if node.process == "down":
        return [*troubles, *_rows_of_dead(ui, node, room)]
    rows: list[list[Part]] = []
    if "zookeeper" in node.roles:
        rows += rows_of_coordinator(ui)
    if node.node_id in view.zookeeper.acting:
        rows.append(row_of_controller(ui, node.node_id))
    if node.node_id in view.voters:
        rows += _rows_of_voter(ui, node, room)
    if node.broker_state or node.fenced is not None or "broker" in node.roles:
        rows += _rows_of_broker(ui, node, room, 0 if rows else more)
    elif more and (lane := view.logs.get((node.node_id, METADATA))) is not None:
        rows += _cells(lane, room, more)
    return troubles + rows if len(troubles) > 1 or not rows else [rows[0], *troubles, *rows[1:]] if troubles else rows


def _rows_of_dead(ui: UiState, node: NodeState, room: int) -> list[list[Part]]:
    gone_s = max(0, ui.shown_ns - node.since_ns) / 1e9
    ago = f"{gone_s:.3f} s" if gone_s < 1 else f"{int(gone_s)} s" if gone_s < 100 else f"{int(gone_s // 60)} min"
    how = "power lost" if node.power_lost else exit_word(node.exit_code)
    death = next((text for text in (f"{how} {ago} ago", f"{how} {ago}") if len(text) <= room), f"{ago} ago")
    rows: list[list[Part]] = [[(death, DIM)]]
    led = next(
        (it for it in reversed(ui.view.elections) if it.leader == node.node_id and it.topic_partition == METADATA), None
    )
    if led is not None:
        rows.append([(f"led e{led.epoch}", DIM)])
    log = METADATA if node.node_id in ui.view.voters and not node.broker_state else log_in_view(ui)
    lane = ui.view.logs.get((node.node_id, log)) if log is not None else None
    if lane is not None:
        rows.append([(f"log {lane.log_end_offset}", DIM)])
    return rows


def _rows_of_voter(ui: UiState, node: NodeState, room: int) -> list[list[Part]]:
    view = ui.view
    lane = view.logs.get((node.node_id, METADATA))
    end = lane.log_end_offset if lane is not None else 0
    first: list[Part] = [("log ", DIM), (str(end), TEXT)]
    leader = view.leader_of_newest_epoch
    newest = view.logs.get((leader, METADATA))
    if node.quorum_role in ASKING:
        first.append((f" of e{lane.epochs[-1][0] if lane is not None and lane.epochs else 0}", DIM))
        return [first, _votes(ui, node, room), *_timers(ui, node.node_id, room, ("election",))]
    if leader == node.node_id and lane is not None:
        first += [("   HW ", HW), (str(max(0, lane.high_watermark)), TEXT)]
    elif newest is not None and leader > 0:
        behind = newest.log_end_offset - end
        words = f"   same as {node_name(leader)}" if not behind else f"   {behind} behind"
        words = words if behind >= 0 else f"   {-behind} more"
        words = words if len(words) + 4 + len(str(end)) <= room else "   same" if not behind else f" {-behind:+}"
        apart = ui.recording.agreement.between(view, METADATA, node.node_id, leader)
        if apart is not None:  # logs of one length may hold other records
            words, behind = f"   differs at {apart}", 2
        first.append((words, DIM if behind <= 1 else WARN))
    rows = [first, *_timers(ui, node.node_id, room, ("fetch", "check_quorum"))]
    if not node.quorum_role:
        return rows  # it has not read its disk yet, which may have lost the vote
    if node.voted_for > 0:
        look = WARN if leader < 0 else DIM
        rows.append([(f"voted {node_name(node.voted_for)} in e{node.quorum_epoch}", look)])
    elif view.rounds:
        words = f"has not voted in e{node.quorum_epoch}"
        rows.append([(words if len(words) <= room else f"no vote in e{node.quorum_epoch}", DIM)])
    return rows


def _timers(ui: UiState, node: NodeId, room: int, names: tuple[str, ...]) -> list[list[Part]]:
    """fetch ━━━━╸── 240 ms: it drains to the left, half a cell at a step. No bar for what no event told."""
    rows: list[list[Part]] = []
    now_ns = moment_of(ui)
    for timer in ui.view.timers.of(node, now_ns):
        if timer.name not in names or timer.length_ms <= 0:
            continue
        word, left = TIMER_WORDS.get(timer.name, timer.name), timer.left_ms(now_ns)
        number = f"{left} ms" if left < 1000 else f"{left / 1000:.1f} s"
        width = max(3, min(9, room - len(word) - 9))
        share = left / timer.length_ms
        if ui.is_still:
            share = -(-share * 4 // 1) / 4
        halves = min(2 * width, round(2 * width * share))
        bar = "\u2501" * (halves // 2) + "\u2578" * (halves % 2)
        role = "ask" if timer.name == "election" else "flow"
        rest = "\u2500" * (width - len(bar))
        rows.append(
            [(f"{word} ", DIM), (bar, style(role)), (rest, LINE), (number.rjust(room - len(word) - 1 - width), TEXT)]
        )
    return rows


def _votes(ui: UiState, node: NodeState, room: int) -> list[Part]:
    """votes ■ ✗ ┈ 1 of 3: always in the same order of voters; in fewer letters where the room is short."""
    view = ui.view
    asked = next((item for item in reversed(view.rounds) if item.candidate_id == node.node_id), None)
    if asked is None:
        return [("asks", WARN)]
    count, total = asked.granted_count, len(asked.voters)
    word, few = ("pre-votes ", "pre ") if asked.pre_vote else ("votes ", "votes ")
    votes = f"{count} of {total}"
    forms = ((word, f" {votes} "), (word, votes), (few, votes), ("", votes))
    word, votes = next((form for form in forms if len("".join(form)) + 2 * total <= room), ("", votes))
    parts: list[Part] = [(word, filled("ask"))]
    if not word and 2 * total + len(votes) > room:
        return [(votes, filled("ask", "bright"))]
    for voter in asked.voters:
        down = voter in view.nodes and view.nodes[voter].process == "down"
        glyph = {True: "\u25a0 ", False: "\u2717 ", None: "\u2508 " if down else "\u25a1 "}[asked.answers.get(voter)]
        parts.append((glyph, filled("ask", "no" if asked.answers.get(voter) is False else "ask")))
    parts.append((votes, filled("ask", "bright")))
    return parts


def ends(lane: LogState, lag: int, room: int) -> list[Part]:
    """Log end, high watermark and how far it is behind the leader; closer together, then fewer, where room is short."""
    end: list[Part] = [("LEO ", DIM), (str(lane.log_end_offset), TEXT)]
    mark, behind = str(max(0, lane.high_watermark)), f"lag {lag}" if lag > 0 else ""
    for gap, before_lag in (("   ", "  "), (" ", " ")):
        parts = [*end, (f"{gap}HW ", HW), (mark, TEXT), *([(before_lag + behind, WARN)] if behind else [])]
        if sum(len(text) for text, _ in parts) <= room:
            return parts
    return [*end, (f" {behind}", WARN)] if behind else [*end, (f" HW {mark}"[:room], HW)]


def _is_out(view: ClusterView, node: NodeState) -> bool:
    """Whether the controllers count it out. In zookeeper mode a broker that starts has no znode yet."""
    begins = view.zookeeper.is_used and node.broker_state == "starting"
    return bool(node.fenced and node.broker_state) and not begins


def _cells(lane: LogState, room: int, rows: int) -> list[list[Part]]:
    """The newest records of a log, the newest of all in the last row."""
    return [cells for back in reversed(range(rows)) if (cells := few_cells(lane, room, back)) or not back]


def _rows_of_broker(ui: UiState, node: NodeState, room: int, more: int) -> list[list[Part]]:
    view, tp = ui.view, log_in_view(ui)
    lane = view.logs.get((node.node_id, tp)) if tp is not None else None
    item = view.partitions.get(tp) if tp is not None else None
    rows: list[list[Part]] = []
    if lane is not None and item is not None:
        leads = view.logs.get((item.leader, item.topic_partition))
        lag = leads.log_end_offset - lane.log_end_offset if leads is not None else 0
        rows += [ends(lane, lag, room), *_cells(lane, room, 1 + more)]
    if not node.fenced:
        rows += _timers(ui, node.node_id, room, ("session",))
    if _is_out(view, node):
        sentence, short = (
            ("its znode is gone", "no znode") if view.zookeeper.is_used else ("registered, fenced", "fenced")
        )
        rows.append([(sentence if len(sentence) <= room else short, WARN)])
    elif node.broker_state and node.broker_state != "running":
        rows.append([(safe_text(node.broker_state, 30), DIM)])
    rows += [[part] for part in _about_clients(view, node, narrow=room < NARROW)]
    return rows


def _about_clients(view: ClusterView, node: NodeState, *, narrow: bool) -> list[Part]:
    facts: list[Part] = []
    clients = view.clients_of(node.node_id)
    if clients:
        facts.append((f"{clients} client{'s' * (clients > 1)}", INFO))
    kept = [name for name, group in sorted(view.groups.items()) if group.coordinator == node.node_id]
    if kept:
        some = f"{len(kept)} group{'s' * (len(kept) > 1)}"
        facts.append((some if narrow else f"keeps {safe_text(kept[0], 20) if len(kept) == 1 else some}", INFO))
    return facts


def _troubles(ui: UiState, node: NodeState, *, narrow: bool) -> list[Part]:
    """What its disk, its port, its process and its clients suffer from."""
    facts: list[Part] = []
    if disk_word(node):
        facts.append((f"disk {disk_word(node)}", BAD))
    if node.is_up and (share := stops_percent(node)):
        facts.append((f"stops {share}%{'' if narrow else ' of time'}", WARN))
    if node.wanted_port and node.process == "down":
        facts.append((f"port {node.wanted_port}{'' if narrow else ' taken'}", WARN))
    if fault := ui.view.client_fault(node.node_id):
        facts.append((fault.replace("clients", "cl.").replace("answers", "ans.") if narrow else fault, BAD))
    return facts
