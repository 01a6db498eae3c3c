"""Holds what a frame says against what the trace says, fact by fact.

Of recorded runs: python -m tests.support.screens.compared RUN_FOLDER ...
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.trace.reader import read_all
from tests.support.traces.facts import Copy, Facts
from workbench.runs.judgement import PROCESSES, Judgement
from workbench.session.live_verdicts import LiveVerdicts
from workbench.session.record_way import way_of_newest
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.panes.closeup import RECORD, mode_of
from workbench.tui.ui_state import UiState

CORNERS = ("\u256d\u250f", "\u256e\u2513", "\u2570\u2517")
"""Of a node's box: top left, top right, bottom left."""
SAID = {"\u25a0": True, "\u2717": False}
SIZES = (200, 50), (160, 45), (120, 40)


class Box(NamedTuple):
    """A node on the map."""

    node: int
    title: str
    text: str
    """The rows in its frame."""


class Frame:
    """One frame, and the panes on it."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas, self.rows = canvas, canvas.text_rows()
        self.text = "\n".join(self.rows)
        self.panes = {str(spot.value[0]): spot for spot in canvas.spots if spot.kind == "pane"}

    def pane(self, name: str) -> list[str]:
        """The rows of a pane, its head first; none where it is not on the frame."""
        spot = self.panes.get(name)
        if spot is None:
            return []
        return [row[spot.x : spot.x + spot.width] for row in self.rows[spot.y : spot.y + spot.height]]

    def boxes(self) -> Iterator[Box]:
        """Nodes whose frame has room for a name."""
        rows = self.pane("map")
        for y, row in enumerate(rows):
            for hit in re.finditer(r" (?:\u25c6|\u25b8 |[AB] )*n(\d+) [^ ]", row):
                left = max(row.rfind(sign, 0, hit.start() + 1) for sign in CORNERS[0])
                right = min((at for sign in CORNERS[1] if (at := row.find(sign, hit.end())) >= 0), default=-1)
                if left < 0 or right < 0 or row[left + 1 : hit.start()].strip("\u2500\u2501\u254c"):
                    continue  # what flies along the frame names nodes, too
                low = next((place for place in range(y, len(rows)) if rows[place][left] in CORNERS[2]), y)
                inside = "\n".join(line[left + 1 : right] for line in rows[y + 1 : low])
                yield Box(int(hit[1]), row[left + 1 : right], inside)


class Comparison:
    """Counts facts that were compared, and keeps those that are wrong."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def holds(self, fact: str, is_so: object, *evidence: object) -> None:
        """One fact of one frame."""
        self.counts[fact] += 1
        if not is_so:
            self.wrong.append(f"{fact}: " + " | ".join(map(str, evidence)))

    def look(self, ui: UiState, facts: Facts, size: tuple[int, int]) -> Frame:
        """Everything that one frame says."""
        frame = Frame(draw_screen(*size, ui))
        before = len(self.wrong)
        self._faults(frame, facts, ui)
        self._nodes(frame, facts, ui)
        self._quorum(frame, facts)
        self._votes(frame, facts)
        self._partition(frame, facts, ui)
        self._lanes(frame, facts, ui)
        self._records(frame, facts, ui)
        self._sender(frame, facts, ui)
        if len(self.wrong) > before:
            self.wrong[before] += f"\n{frame.text}"
        return frame

    def _faults(self, frame: Frame, facts: Facts, ui: UiState) -> None:
        """Those listed are in force, and with those said to be more they are all."""
        text = "\n".join(frame.pane("map")) or frame.text
        listed = set(map(int, re.findall(r"fault (\d+): ", text)))
        more = re.search(r"(?:fault \d+: |held on ).*?  (\d+) more", text)
        unseen = int(more[1]) if more else 0
        waits = unseen > 0 and any(facts.held.values()) and "held on" not in text  # one of those unseen
        self.holds("fault", listed <= set(facts.faults), listed, facts.faults)
        if listed or "no fault in force" in text:
            self.holds("faults in force", len(listed) + unseen - waits == len(facts.faults), unseen, facts.faults)
        for count in re.findall(r"(\d+) messages? held on", text):
            self.holds("held messages", int(count) == sum(facts.held.values()), facts.held)

    def _nodes(self, frame: Frame, facts: Facts, ui: UiState) -> None:
        """Who is down, paused, fenced; what a box says of a node's logs and votes."""
        stopped = {node for kind, nodes in facts.faults.values() if kind in ("Pause", "Freeze") for node in nodes}
        frozen = any(kind == "Freeze" for kind, _ in facts.faults.values())
        for count, total in re.findall(r"(\d+) of (\d+) nodes? up", frame.rows[0]):
            away = facts.down | facts.starting | stopped
            self.holds("nodes up", frozen or int(count) == int(total) - len(away), away)
        for box in frame.boxes():
            node, title = box.node, box.title
            is_down = bool(re.search(r"\u2717 (DOWN|NO POWER|KILLED|EXIT)|\u2717", title))
            self.holds("down", is_down == (node in facts.down), box)
            if "PAUSED" in title:
                self.holds("paused", frozen or node in stopped, box)
            if "FENCED" in title:
                self.holds("fenced", facts.fenced.get(node), box)
            for epoch in re.findall(r"\u2605 LEADER e(\d+)", title):
                self.holds("quorum leader", facts.leader == node and facts.elected[0] == int(epoch), box, facts.elected)
            self._box_of_broker(box, facts, ui.partition)
            for count, total in re.findall(r"votes? .*?(\d) of (\d)", box.text):
                asked = [key for key in facts.rounds if key[0] == node]
                yes = [sum(facts.rounds[key].values()) for key in asked]
                self.holds("votes in a box", int(count) in yes and total, box, facts.rounds)
            for end in re.findall(r"^ log (\d+)(?: |$)", box.text, re.MULTILINE) if node > 100 else ():
                self._end(node, METADATA, int(end), facts, box)

    def _box_of_broker(self, box: Box, facts: Facts, tp: TopicPartition | None) -> None:
        if tp is None or box.node > 100:
            return
        possible = facts.of(tp).possible
        for name in re.findall(r"\u2605 leads ([\w.-]+-\d+)", box.title):
            if name == str(tp):
                self.holds("partition leader", box.node in {state[1] for state in possible}, box, possible)
        if "in sync" in box.title:
            self.holds("in sync", any(box.node in state[2] for state in possible), box, possible)
        if "out of the ISR" in box.title:
            self.holds("out of the ISR", any(box.node not in state[2] for state in possible), box, possible)
        for end, mark in re.findall(r"LEO (\d+) +HW (\d+)", box.text):
            self._end(box.node, tp, int(end), facts, box)
            self._mark(box.node, tp, int(mark), facts, box)

    def _end(self, node: int, tp: TopicPartition, end: int, facts: Facts, *evidence: object) -> None:
        if node not in facts.unknown:
            known = facts.copy_of(node, tp).end
            self.holds("log end", end == known, node, tp, end, known, *evidence)

    def _mark(self, node: int, tp: TopicPartition, mark: int, facts: Facts, *evidence: object) -> None:
        if node not in facts.unknown:
            known = facts.copy_of(node, tp).high_watermark
            self.holds("high watermark", mark == max(known, 0), node, tp, mark, known, *evidence)

    def _quorum(self, frame: Frame, facts: Facts) -> None:
        """Who leads it by the headline, by the close-up and by the strip of a small screen."""
        for name, epoch in re.findall(r"\u2605 n(\d+) leads the quorum in e(\d+)", frame.rows[1]):
            self.holds("quorum leader", (int(epoch), int(name)) == facts.elected, frame.rows[1], facts.elected)
        heads = [*frame.pane("quorum")[:1], frame.rows[0].partition("\u2502")[2]]
        for head in heads:
            for name, epoch in re.findall(r"\u2605 ?n(\d+) (?:leads )?e(\d+)", head):
                self.holds("quorum leader", (int(epoch), int(name)) == facts.elected and facts.leader, head, facts)
            for epoch in re.findall(r"(?:NO LEADER|SPLIT VOTE|no leader) e(\d+)", head):
                self.holds(
                    "no leader", not facts.leader and int(epoch) == facts.epoch, head, facts.elected, facts.epoch
                )
            for epoch in re.findall(r"SPLIT VOTE e(\d+)", head):
                asked = [key for key in facts.rounds if key[1] == int(epoch) and not key[2]]
                self.holds("split vote", len(asked) > 1, head, facts.rounds)

    def _votes(self, frame: Frame, facts: Facts) -> None:
        """The tally of each round below the close-up: how many, and what each voter said."""
        for row in frame.pane("quorum"):
            for name, kind, epoch, cells, count in re.findall(
                r"n(\d+) (pre-vote|vote) e(\d+) ((?:[\u25a0\u2717\u25a1](?:n\d+)? ?)+) *(\d+) of \d", row
            ):
                answers = facts.rounds.get((int(name), int(epoch), kind == "pre-vote"), {})
                self.holds("votes counted", int(count) == sum(answers.values()), row, answers)
                for sign, voter in re.findall(r"([\u25a0\u2717\u25a1])n(\d+)", cells):
                    self.holds("vote", SAID.get(sign) == answers.get(int(voter)), row, answers)
                if "WON" in row:
                    self.holds("won", (int(epoch), int(name)) == facts.elected, row, facts.elected)

    def _partition(self, frame: Frame, facts: Facts, ui: UiState) -> None:
        """ISR and leader of the partition in view."""
        tp = ui.partition
        if tp is None:
            return
        possible, head = facts.of(tp).possible, "".join(frame.pane("logs")[:1])
        for count, _ in re.findall(rf"{re.escape(str(tp))} .*?ISR (\d+)/(\d+)", head):
            self.holds("ISR", int(count) in {len(state[2]) for state in possible}, head, possible)
        for isr in re.findall(rf"{re.escape(str(tp))}  ISR ([\d,]+)", "".join(frame.pane("isr")[:1])):
            shown = {",".join(map(str, sorted(state[2]))) for state in possible}
            self.holds("ISR", isr in shown, isr, possible)
        if tp == ui.log:
            for name in re.findall(r"^\u2605[ \u25b8]?n(\d+) ", "\n".join(frame.pane("logs")), re.MULTILINE):
                if int(name) < 100:
                    self.holds("partition leader", int(name) in {state[1] for state in possible}, name, possible)

    def _lanes(self, frame: Frame, facts: Facts, ui: UiState) -> None:
        """Ends and high watermarks of the lanes, struck cells, what is said of cuts."""
        spot = frame.panes.get("logs")
        if spot is None or ui.log == METADATA:
            return
        for y, row in enumerate(frame.pane("logs")):
            lane = re.match(r"[\u2605\u2606\u25b8\u2717\u2016 ]{1,2}n(\d+) ", row)
            if not lane:
                continue
            node = int(lane[1])
            tp = METADATA if node > 100 else ui.log
            for mark, end in re.findall(r"HW *(\d+) *LEO *(\d+)", row):
                self._end(node, tp, int(end), facts, row)
                self._mark(node, tp, int(mark), facts, row)
            styles = frame.canvas.styles[spot.y + y][spot.x : spot.x + spot.width]
            struck = sum(bool(style.strike) and char != " " for char, style in zip(row, styles, strict=True))
            if struck:
                copy = facts.copies.get((node, tp), Copy())
                self.holds("struck cells", struck <= len(copy.cut_off), row, copy.cut_off)
        for node, before, end in re.findall(r"\u2702 n(\d+) cut (\d+) to (\d+)", frame.text):
            is_told = (int(node), int(before), int(end)) in facts.cuts
            self.holds("cut", is_told or any(int(node) == owner for owner, _ in facts.copies), node, facts.cuts)

    def _records(self, frame: Frame, facts: Facts, ui: UiState) -> None:
        """What became of acknowledged records that the leader lacks."""
        item, tp = ui.view.partitions.get(ui.log), ui.log
        known = facts.of(tp)
        if item is None or item.leader < 0 or facts.unknown or known.is_compacted or "4 Logs" not in frame.text:
            return
        replicas = sorted(node for node, owned in facts.copies if owned == tp)
        lacking = [
            (offset, [node for node in replicas if facts.copy_of(node, tp).records.get(offset) == crc])
            for offset, crc in sorted(known.acked)
        ]
        missing = [(offset, nodes) for offset, nodes in lacking if item.leader not in nodes]
        lost = [offset for offset, nodes in missing if not nodes]
        kept = [offset for offset, nodes in missing if nodes]
        text = "\n".join(frame.pane("logs"))
        self.holds("lost records", f" LOST {spans(lost)} " in text if lost else " LOST " not in text, lost)
        only = bool(re.search(rf" ONLY ON n.* {spans(kept)} ", text)) if kept else "ONLY ON" not in text
        self.holds("records of one node", only, kept)
        if [other for other in facts.partitions if facts.partitions[other].acked] == [tp]:
            counted = "\n".join([*frame.pane("map"), *frame.rows[1:2]])
            for count, gone in re.findall(r"(\d+) (?:records? )?acknowledged, (\d+|none) lost", counted):
                is_so = (int(count), gone) == (len(known.acked), str(len(lost) or "none"))
                self.holds("acknowledged", is_so, count, gone, len(known.acked), lost)

    def _sender(self, frame: Frame, facts: Facts, ui: UiState) -> None:
        """In the close-up the record stands at the line of the leader that wrote it."""
        way = way_of_newest(ui.recording, ui.partition) if ui.partition is not None else None
        rows = frame.pane("quorum")
        if mode_of(ui) != RECORD or way is None or not rows or ui.partition is None:
            return
        columns = {int(hit[1]): hit.start() for hit in re.finditer(r"n(\d)", rows[1])}
        at = next((row.rindex("\u25a0 LEO") for row in rows if "\u25a0 LEO" in row), None)
        writer = facts.of(ui.partition).written_by.get(way.offset)
        if at is not None and writer in columns:
            self.holds("sender of a record", abs(columns[writer] - at) <= 2, writer, rows)


def spans(offsets: Sequence[int]) -> str:
    """5, or 5-7."""
    return f"{offsets[0]}" if len(offsets) == 1 else f"{offsets[0]}-{offsets[-1]}"


def verdict_checked(entries: Sequence[Entry], *, is_over: bool) -> dict[str, list[str]]:
    """The rules that `workbench check` names of these events, by the word that stands for each group on the screen."""
    checker = Checker()
    checker.feed_all(entries)
    table = checker.finish() if is_over else checker.report.table()
    judged = Judgement(Path(), table, (), len(entries), {}, 0, checker.ghost.world != PROCESSES)
    named = {
        word: [line.info.id for line in table if line.verdict is verdict and line.info.id not in judged.late]
        for verdict, word in (
            (Verdict.HOLDS, "kept"),
            (Verdict.VIOLATED, "VIOLATED"),
            (Verdict.EXPECTED, "broken as expected"),
        )
    }
    return named | {"late on this machine": sorted(judged.late)}


def look_at_verdict(compared: Comparison, frame: Frame, line: str, whole: dict[str, list[str]], *, of: str) -> None:
    """The line at the foot of a frame: how many promises are kept, which rules are broken, and of which moment it is.

    Args:
        line: all of it; on the frame its end may be missing.
        whole: what the checker says of the events that the line is about.
        of: what the line has to begin with.
    """
    compared.holds("verdict: shown", line[:20] in frame.rows[-2], line, frame.rows[-2])
    row = line.replace("promises checked, all kept", "promises kept")
    hit = re.search(r"(\d+) promises kept", row)
    if hit is None:
        compared.holds("verdict: none", "no promise checked yet" in row and not whole["kept"], row, whole)
        return
    compared.holds("verdict: whose", (re.match("(?:whole run|by now): |", row) or [""])[0] == of, row, of)
    compared.holds("verdict: kept", int(hit[1]) == len(whole["kept"]), row, len(whole["kept"]))
    for word in ("VIOLATED", "broken as expected", "late on this machine"):
        said = re.search(rf"(\d+) {word} \(([^)]*)", row)
        rules = re.split(r", ", said[2].rstrip(", \u2026")) if said else []
        is_so = (int(said[1]) if said else 0) == len(whole[word]) and set(rules) <= set(whole[word])
        compared.holds(f"verdict: {word}", is_so, row, whole)


def watch_film(run: Path, places: int) -> Comparison:
    """So many moments of a recorded run, evenly spread: as it was shown while it ran, and as it is shown again."""
    again, live = Recording(), Recording()
    again.keep_in(run)
    entries, compared, facts = read_all(run / "trace"), Comparison(), Facts()
    again.extend(entries[len(again.entries) :])
    over, beside = LiveVerdicts(again, is_complete=True), LiveVerdicts(live)
    whole = verdict_checked(entries, is_over=True)
    uis = (UiState(again, replay=True, title="Film", verdicts=over), UiState(live, title="Film", verdicts=beside))
    while over.turn():
        pass
    for place in range(1, places + 1):
        end = len(entries) * place // places
        new = entries[len(live.entries) : end]
        facts.fold(new)
        live.extend(new)
        again.seek(end)
        while beside.turn():
            pass
        size = SIZES[place % len(SIZES)]
        of = "whole run: " if end < len(entries) else ""
        look_at_verdict(compared, compared.look(uis[0], facts, size), over.line[0], whole, of=of)
        now = verdict_checked(entries[:end], is_over=beside.is_final)
        look_at_verdict(compared, compared.look(uis[1], facts, size), beside.line[0], now, of="")
        at_its_end = verdict_checked(entries[:end], is_over=True)
        hidden = set(now["kept"]) & {*at_its_end["VIOLATED"], *at_its_end["broken as expected"]}
        is_told = " lost" in beside.line[0] and hidden <= {"C1", "C4"}
        compared.holds("verdict: nothing hidden", not hidden or is_told, hidden, beside.line)
    again.close()
    return compared


if __name__ == "__main__":
    for name in sys.argv[1:]:
        film = watch_film(Path(name), 30)
        facts = "  ".join(f"{fact} {count}" for fact, count in sorted(film.counts.items()))
        sys.stdout.write(f"{Path(name).name}: {film.counts.total()} facts, {len(film.wrong)} wrong\n  {facts}\n")
        sys.stdout.writelines(f"{wrong}\n" for wrong in film.wrong)
