"""The checker beside the screen: fed what the screen folds, in slices, it judges what came so far."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING

from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict
from cluster.model.events import RunEnded, RunResumed
from workbench.runs.judgement import PROCESSES, missed_deadlines
from workbench.runs.sealed import OFF, is_sealed
from workbench.session.pages import NEWEST_PAGES, PAGE
from workbench.session.recording import Recording
from workbench.telling.words import plural

if TYPE_CHECKING:
    from cluster.invariants.checker import Checker

SLICE_NS = 3_000_000
"""Longest stretch of judging before keys and frames get their turn."""
REST_S = 0.003
"""Between slices while there is much more: half of the time is the screen's."""
LITTLE, LITTLE_REST_S = 2_000, 0.02
"""So few events that come while others are judged are judged together: a turn costs more than an event."""
FLOOD_PER_S, FLOOD_REST = 4_000, 40
"""While events come faster than this the screen goes first: after a slice, a rest of so many times its length."""
IN_MEMORY, CALM_S = PAGE * (NEWEST_PAGES - 2), 0.5
"""In a flood the judging of more than these waits so long: they would have to be read from their files once more."""
PAUSE_S = 0.05
"""Between looks while there is nothing to do."""
BATCH = 128
NS_PER_S = 1_000_000_000
EVENTS_MAX = 500_000
"""Judged beside a screen: what the checker remembers of each, about 150 bytes, it remembers to the end of a run."""
LONGEST = 2_000_000
"""Of a recording that is longer, the first part would tell little of it: nothing is judged beside the screen."""
TABLE_EVERY_NS = 200_000_000
"""The table is drawn up anew no more often than this: it has a line for each rule."""


class LiveVerdicts:
    """What can be said of one run up to the entry that was judged last."""

    def __init__(self, recording: Recording, *, is_complete: bool = False) -> None:
        self._recording = recording
        self.is_complete = is_complete
        """Whether nothing more will come, also when the run never said its end."""
        self.waits = False
        """While a recording is read: what is judged beside that is remembered beside it, and slows it down."""
        self.failure = ""
        """Why nothing more is judged; empty while the checker works."""
        self.table: tuple[InvariantVerdict, ...] = ()
        """One line for each rule, as of the last slices."""
        self.judged = 0
        self.is_final = False
        """Whether the run is over and the rules that look back on the whole of it have spoken."""
        self._begin()

    def _begin(self) -> None:
        self._made: Checker | None = None
        self._run = self._recording.run_count
        self._tabled = self._tabled_ns = 0
        self._end: int | None = None
        """Entries that are judged of a recording that ends early; None for all."""
        self.judged, self.is_final, self.failure = 0, False, ""
        self.table = ()

    @property
    def _checker(self) -> Checker:
        """Made once there is something to judge: the first picture does not wait until all rules are loaded."""
        from cluster.invariants.checker import Checker

        self._made = self._made or Checker()
        return self._made

    @property
    def is_behind(self) -> bool:
        """Whether the screen shows more than is judged."""
        return self.judged < self._due

    @property
    def _due(self) -> int:
        """How many entries are to be judged by now."""
        return self._end if self._end is not None else min(EVENTS_MAX, len(self._recording.entries))

    @property
    def is_sealed(self) -> bool:
        """Whether it is a bug hunt: nothing is judged then."""
        return is_sealed(self._recording.live.title)

    @property
    def is_full(self) -> bool:
        """Whether the run is longer than what is judged beside a screen."""
        return len(self._recording.entries) > EVENTS_MAX

    @property
    def is_too_long(self) -> bool:
        """Whether nothing of it is judged."""
        return not self.judged and len(self._recording.entries) > LONGEST

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            before, began_ns = len(self._recording.entries), perf_counter_ns()
            is_behind = self.turn(table_every_ns=TABLE_EVERY_NS)
            rest_s = PAUSE_S if not is_behind else LITTLE_REST_S if before - self.judged < LITTLE else REST_S
            took_s = (perf_counter_ns() - began_ns) / NS_PER_S
            await asyncio.sleep(rest_s)
            came, whole_s = len(self._recording.entries) - before, (perf_counter_ns() - began_ns) / NS_PER_S
            await asyncio.sleep(more_rest_s(came, whole_s, took_s, len(self._recording.entries) - self.judged))

    def turn(self, budget_ns: int = SLICE_NS, *, table_every_ns: int = 0) -> bool:
        """One slice; whether there is more to judge. table_every_ns: the table is drawn up anew no more often."""
        if self._run != self._recording.run_count:
            self._begin()
        if self.failure or self.is_final or self.is_sealed or self.waits or self.is_too_long:
            return False
        try:
            self._judge(perf_counter_ns() + budget_ns, table_every_ns)
        except Exception as error:  # the screen goes on; nothing is called good by a checker that stopped
            self.failure = f"the checker stopped after {self.judged} events: {type(error).__name__}: {error}"
        return self.is_behind

    def _judge(self, stop_ns: int, table_every_ns: int) -> None:
        entries = self._recording.entries
        end = self._due
        while self.judged < end and perf_counter_ns() < stop_ns:
            batch = entries[self.judged : min(end, self.judged + BATCH)]
            self._checker.feed_all(batch)
            self.judged += len(batch)
        now_ns = perf_counter_ns()
        every_ns = TABLE_EVERY_NS if self.is_behind else table_every_ns
        if self.judged != self._tabled and now_ns - self._tabled_ns >= every_ns:
            self._tabled, self._tabled_ns = self.judged, now_ns
            self.table = self._checker.report.table()
            if self.is_full and not self.is_behind:
                self._made = None  # nothing more is fed to it, and it remembers every event
        if not self.is_behind and not self.is_full and entries and self._has_ended():
            table, cut = self._checker.finish(), self._checker.ghost.passage.cut
            if cut and self._end is None and any(line.verdict is Verdict.VIOLATED for line in table):
                self._made, self.judged = None, 0
                self._end = self._recording.cursor_at(min(cut.values()))
            else:
                self.table, self.is_final = table, True

    def _has_ended(self) -> bool:
        """The lab's last word is the run's: only what was written at the same time may come after it."""
        if self.is_complete:
            return True
        newest = (entry.event for entry in reversed(self._recording.entries[-50:]))
        newest_end = next((event for event in newest if isinstance(event, RunEnded | RunResumed)), None)
        return isinstance(newest_end, RunEnded)

    def count(self) -> Counter[Verdict]:
        """Rules by verdict."""
        return Counter(line.verdict for line in self.table)

    @property
    def late(self) -> frozenset[str]:
        """Rules about deadlines that real processes missed: told as late, and violated by nobody."""
        return missed_deadlines(self.table) if self._recording.live.world == PROCESSES else frozenset()

    @property
    def line(self) -> tuple[str, str]:
        """(one line, tone): good only for what was evaluated and held. Beside a moment in the past it says that it is
        not of that moment."""
        if self.failure:
            return self.failure, "bad"
        if self.is_sealed:
            return OFF, "dim"
        if self.is_too_long and not self.waits:
            return f"more than {LONGEST:,} events: workbench check judges them", "dim"
        counts = self.count()
        if not len(counts) or not sum(counts.values()) - counts[Verdict.NOT_EVALUATED]:
            return NOTHING_CHECKED, "dim"
        late = self.late
        named = {verdict: [line.info.id for line in self.table if line.verdict is verdict] for verdict, _ in WORDS}
        named[Verdict.VIOLATED] = [rule for rule in named[Verdict.VIOLATED] if rule not in late]
        broken = [_counted(named[verdict], word) for verdict, word in WORDS if named[verdict]]
        broken += [_counted(sorted(late), LATE)] if late else []
        lost = self._lost()
        kept = f"{counts[Verdict.HOLDS]} {'promises kept' if broken or lost else ALL_KEPT}"
        first = broken[: bool(named[Verdict.VIOLATED])]  # where room is short, what comes last is cut off
        parts = [*first, *([lost] if lost else []), kept, *broken[len(first) :]]
        waiting = self._due - self.judged
        if self._end is not None and not waiting:
            parts.append("up to where the recording is cut")
        if self.is_full and not self.is_behind:
            parts.append(f"of the first {self.judged:,} events; workbench check judges all")
        elif waiting > BATCH:
            parts.append(f"{waiting} events to judge")
        is_current = self._end is None and len(self._recording.entries) - self.judged <= BATCH
        tone = "good" if counts[Verdict.HOLDS] and is_current else "dim"
        tone = "bad" if named[Verdict.VIOLATED] else "warn" if lost or broken else tone
        is_past = self._recording.cursor < len(self._recording.entries)
        return (WHOLE if self.is_final else BY_NOW) * is_past + ", ".join(parts), tone

    def _lost(self) -> str:
        """Acknowledged records that nobody holds, and what allows it: their rule speaks at the end of a run only."""
        recording = self._recording
        lost = recording.live.missing().lost
        if not lost or recording.cursor < len(recording.entries):  # beside the past it would not be true yet
            return ""
        from cluster.invariants.clients.producers import ACK_LOSS

        ledger, count = self._checker.report.ledger, sum(item.record_count for item in lost)
        excuses = [ledger.excuse(ACK_LOSS, item.topic_partition, item.base_offset) for item in lost[:LOST_MAX]]
        allowed = excuses[0] if all(excuses) else None
        why = f": {ALLOWED[allowed.assumption](allowed.why)} allows it" if allowed is not None else ""
        return f"{plural(count, 'record')} lost{why}"


def _counted(rules: list[str], word: str) -> str:
    """2 VIOLATED (P2, P6)."""
    return f"{len(rules)} {word} ({', '.join(rules[:3])}" + (", \u2026)" if len(rules) > 3 else ")")


def more_rest_s(came: int, whole_s: float, took_s: float, behind: int) -> float:
    """How much longer judging waits when so many events came in the whole of a turn and its rest: not, as a rule.

    behind: events to judge. Those that are not in memory any more would be read once more: that waits for calm.
    """
    if came <= FLOOD_PER_S * whole_s:
        return 0.0
    if behind > IN_MEMORY:
        return CALM_S
    return max(0.0, (1 + FLOOD_REST) * took_s - whole_s)


LOST_MAX = 64
"""Of so many lost batches it is looked up what allows their loss."""
ALLOWED: dict[str, Callable[[str], str]] = {
    "A1": lambda _: "a disk that forgot",
    "A2": lambda _: "that many disks forgot at once",
    "A3": lambda _: "an unclean election",
    "A4": lambda _: "the way logs are cut",
    "A5": lambda why: next(iter(re.findall(r"acks=\d", why)), "min.insync.replicas=1"),
}
"""For each assumption that may excuse a loss, and why it does not hold: what allows it."""
NOTHING_CHECKED = "no promise checked yet"
ALL_KEPT = "promises checked, all kept"
WORDS = ((Verdict.VIOLATED, "VIOLATED"), (Verdict.EXPECTED, "broken as expected"))
LATE = "late on this machine"
WHOLE, BY_NOW = "whole run: ", "by now: "
"""What the line begins with while an earlier moment is shown: what is broken may have come about after that."""
