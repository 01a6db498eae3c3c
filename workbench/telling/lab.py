"""What the lab does and sees: runs, processes, faults, power, held messages."""

from __future__ import annotations

import re

from cluster.faults.fault import CROSS, OTHER, SLOW, STILL
from cluster.faults.grammar import VERB_OF
from cluster.model.events import lab
from cluster.model.exit_codes import aside
from cluster.picture.cluster_state import ClusterState
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.network import label, quoted
from workbench.telling.telling import BAD, DEED, DIM, GAP, GOOD, INFO, MOVE, WARN, Cell, Printed, Row, Telling
from workbench.telling.template import fill

ENDED = "\u2717 {who}"
VERB_MAX = 8
"""Letters of a kind of fault: a step has ten."""
SHORTER = {"partition": "cut", "duplicate": "copy"}
"""First words of commands that have no room in a narrow cell."""


def _fault_cell(e: lab.FaultApplied, _name: str, _view: ClusterState) -> str:
    verb = re.split("[ -]", VERB_OF.get(e.kind, safe_text(e.kind, VERB_MAX)))[0].lower()
    is_of_one = len(e.nodes) == 1 and e.family == "process"
    return f"\u2717 {words.node_name(e.nodes[0]) if is_of_one else SHORTER.get(verb, verb)[:VERB_MAX]}"


def _plucked_row(e: lab.MessagePlucked) -> str:
    return f"{SIGNS.get(e.fate, OTHER)} {label(e.message, dict(e.numbers))}"


def _plucked_cell(e: lab.MessagePlucked, _name: str, _view: ClusterState) -> str:
    return _plucked_row(e)[: VERB_MAX + 2]


def _fault_mark(e: lab.FaultApplied) -> str:
    """The loss of power leaves its own."""
    kind = e.kind.lower()
    return "K" if "kill" in kind else "" if "power" in kind else "F"


FATES = {"drop": "never arrives", "hold": "waits", "pass": "passes", "delay": "is late"}
"""What becomes of a message that is plucked."""
SIGNS = {"drop": CROSS, "hold": STILL, "delay": SLOW, "pass": MOVE}


def fate_of(e: lab.MessagePlucked) -> str:
    """What becomes of it, as a verb."""
    return FATES.get(e.fate) or safe_text(e.fate, 20)


def _resumed(e: lab.RunResumed) -> str:
    """For how long it was over, and how it had ended."""
    seconds = e.away_ms // 1000
    away = f"{seconds} s" if seconds < 120 else f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
    how = "" if e.was_ended else ", whose lab had died without a word"
    return f"run resumed {away} after its newest event{how}; its clock stood still"


def _ended(e: lab.RunEnded) -> str:
    return fill("run ended{why:: {}/}", e) + ", something had to be forced" * (not (e.why or e.clean))


def _lost_power(e: lab.PowerLost) -> str:
    """What follows the first gap of a file is lost too: no start reads past it."""
    unsynced = sum(written - durable for _, written, _, durable, _ in e.files)
    lost = sum(written - kept for _, written, _, _, kept in e.files)
    if not unsynced:
        return "lost power: everything was durable"
    return f"lost power: {unsynced} bytes were not durable" + (f", {lost} of them are lost" if lost < unsynced else "")


TELLINGS: dict[type, Telling] = {
    lab.RunStarted: Telling(INFO, "run started: {title} ({world})", is_detail=False),
    lab.RunEnded: Telling(INFO, _ended, reasons=("{why}",)),
    lab.RunResumed: Telling(WARN, _resumed, cell=Cell(DEED, "resumed"), mark=GAP),
    lab.ProcessStarted: Telling(
        INFO,
        lambda e: fill("starts ({roles}){pid: pid {}/}", e, {"roles": "+".join(e.roles)}),
        reasons=("{incarnation_number:its start was asked for/the run begins}",),
    ),
    lab.PortTaken: Telling(WARN, "port {port} is taken{holder: by {}/}: waits for it for a while"),
    lab.ProcessReady: Telling(GOOD, "ready{port: on port {}/}", cell=Cell(DEED, "{who} up")),
    lab.ProcessExited: Telling(
        BAD,
        lambda e: fill(f"ended: {words.exit_word(e.exit_code)}{aside(e.exit_code)}{{expected:/, unasked}}", e),
        cell=Cell(DEED, ENDED),
        reasons=(lambda e, _: "its end was asked for" if e.expected else f"of {words.exit_word(e.exit_code)}",),
        printed=lambda e, _: not e.expected,
    ),
    lab.FaultInjected: Printed(WARN, "FAULT {command}", is_detail=False),
    lab.FaultApplied: Telling(
        WARN,
        "fault {fault_id} in force: {fault}",
        cell=Cell(DEED, _fault_cell, "fault_id"),
        mark=_fault_mark,
        reasons=("it was asked for: {fault}",),
        is_detail=False,
    ),
    lab.FaultReverted: Printed(
        GOOD,
        "fault {fault_id} over: {fault}",
        cell=Cell(DEED, "heal", "fault_id"),
        mark="h",
        reasons=("it was healed: {fault}",),
        is_detail=False,
    ),
    lab.CommandRejected: Printed(DIM, "cannot {command}: {why}", reasons=("{why}",)),
    lab.PowerLost: Printed(BAD, _lost_power, cell=Cell(DEED, ENDED), mark="P"),
    lab.FramesHeld: Telling(DIM, "link {source}>{target} holds {message}"),
    lab.FramesReleased: Telling(DIM, "link {source}>{target} delivers {count:held frame}"),
    lab.MessagePlucked: Printed(
        WARN,
        lambda e: f"link {e.source}>{e.target}: {quoted(e.message, e.numbers)} is plucked, it {fate_of(e)}",
        cell=Cell(DEED, _plucked_cell),
        row=Row(_plucked_row, "target", WARN),
    ),
    lab.LinkReset: Telling(WARN, "link {source}>{target} reset, {held_count:frame} lost"),
    lab.LinkConnected: Telling(DIM, "connected {source}>{target}"),
}
