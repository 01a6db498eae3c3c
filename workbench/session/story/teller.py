"""Keeps incidents and says lines: the book that the handlers of events write into."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from workbench.session.story.cells import Cells
from workbench.session.story.incident import Incident, Settled
from workbench.session.story.line import STORY, Key, Line
from workbench.telling.telling import INFO

FRESH_NS = 5_000_000_000
"""What comes within this time of the last line of an incident may still belong to it."""
ACTIVE_MAX = 16
HEADLINE_MAX = 110
JOIN_NS = 20_000_000
"""Two headlines of one incident that are closer than this are one, where it has room."""


class Moment(NamedTuple):
    """A headline from here on."""

    place: int
    """Of the entry that said it, in the recording."""
    t_ns: int
    glyph: str
    tone: str
    text: str
    incident: int
    """Number of the incident that it is about."""
    cells: Cells = Cells()
    """Where to look meanwhile."""


class Teller:
    """Incidents in order, and every headline."""

    def __init__(self) -> None:
        self.incidents: list[Incident] = []
        self.moments: list[Moment] = []
        """Every headline of the run, in order."""
        self.place = 0
        """Of the entry that is told now."""
        self.t_ns = 0
        self.cells = Cells()
        """What of the screen it speaks of."""
        self.marked = -1, ""
        """The entry that was told last, and the words for a mark there."""
        self.leader: NodeId = NO_NODE
        """Of the quorum, as the story told it last; -1 while it tells of none."""
        self.last_leader: NodeId = NO_NODE
        """Who led the quorum last."""
        self.leaderless_ns = 0
        """Since when the quorum has no leader; 0 while it has one, and before the first."""
        self.acknowledged = 0
        """Records that clients were told are written, so far."""
        self._active: list[Incident] = []
        self._told_at = -1

    @property
    def has_told(self) -> bool:
        """Whether the present entry is in the story."""
        return self._told_at == self.place

    def open(
        self, past: str, now: str = "", *, glyph: str = "", tone: str = INFO, nodes: Iterable[NodeId] = (),
        kind: str = "", since: tuple[int, int] | None = None,
    ) -> Incident:  # fmt: skip
        """A new incident.

        Args:
            past: its line in the list.
            now: the headline; the line in the list when empty.
            since: place and instant of what began it; the present entry when None.
        """
        place, t_ns = since or (self.place, self.t_ns)
        incident = Incident(
            len(self.incidents), t_ns, place, Line(("head",), STORY, glyph, tone), set(nodes), kind=kind
        )
        incident.head.say(self.place, t_ns, past)
        incident.acknowledged_before = self.acknowledged
        self.incidents.append(incident)
        self._active = [item for item in self._active if self._is_active(item)][1 - ACTIVE_MAX :] + [incident]
        self._headline(incident, now or f"{past}.", glyph, tone)
        self._touch(incident)
        return incident

    def rename(self, incident: Incident, past: str) -> None:
        """Another line in the list from now on."""
        if incident.head.said[-1].text != past:
            incident.head.say(self.place, self.t_ns, past)
            self._touch(incident)

    def step(
        self, incident: Incident, text: str, *, now: str = "", key: Key | None = None, level: str = STORY,
        glyph: str = "", tone: str = INFO, joins: bool = False,
    ) -> None:  # fmt: skip
        """One thing that followed.

        Args:
            now: the headline; none when empty.
            key: what the line is about, when it may be said in other words later.
            joins: the headline goes on with the one before when that was just now.
        """
        key = key or (text,)
        line = incident.line(incident.steps, key)
        if line is None:
            if not incident.room_for(level):
                return
            line = Line(key, level, glyph, tone)
            incident.steps.append(line)
        line.say(self.place, self.t_ns, text)
        if now:
            self._headline(incident, now, glyph, tone, joins=joins)
        self._touch(incident)

    def cost(self, incident: Incident, key: Key, text: str, since_ns: int = 0) -> None:
        """What it costs; with since_ns it still runs, and `{}` in the text is its length. Empty takes it back."""
        self._beside(incident.costs, key, text, since_ns)

    def meanwhile(self, incident: Incident, key: Key, text: str) -> None:
        """Tell what else went on while the incident lasted. Empty takes it back."""
        self._beside(incident.meanwhile, key, text, 0)

    def owe(self, incident: Incident, *what: Hashable) -> None:
        """It is not over before this has come."""
        incident.owes.update(what)
        if incident.is_over and what:
            incident.settled.append(Settled(self.place, self.t_ns, is_over=False))

    def pay(self, *what: Hashable) -> None:
        """This has come: whoever waited for it waits no more."""
        for incident in self._active:
            if not incident.owes.isdisjoint(what):
                incident.owes.difference_update(what)
                self.settle(incident)

    def settle(self, incident: Incident) -> None:
        """It is over when nothing is owed and nothing of its cause is in force."""
        if not incident.owes and not incident.fault_ids and not incident.is_over:
            incident.settled.append(Settled(self.place, self.t_ns, is_over=True))

    def home(self, nodes: Iterable[NodeId] = (), part: TopicPartition | None = None) -> Incident | None:
        """The incident that what happens now to these belongs to: the newest one that is about them.

        One that waits for something comes first, then one whose last line was a moment ago, then one whose fault is
        in force. None when there is none.
        """
        wanted = set(nodes)
        found = [item for item in reversed(self._active) if part in item.parts or item.nodes & wanted]
        found = [item for item in found if self._is_active(item)]
        return min(found, key=self._rank, default=None)

    def _rank(self, incident: Incident) -> int:
        return 0 if incident.owes else 1 if self.t_ns - incident.last_ns < FRESH_NS else 2

    def owing(self, what: Hashable) -> Incident | None:
        """The newest incident that waits for something."""
        return next((item for item in reversed(self._active) if what in item.owes), None)

    def of_fault(self, fault_id: int) -> Incident | None:
        """The incident that a fault in force began."""
        return next((item for item in reversed(self._active) if fault_id in item.fault_ids), None)

    def newest(self, kind: str) -> Incident | None:
        """The newest incident of a kind that may still go on."""
        return next((item for item in reversed(self._active) if item.kind == kind and self._is_active(item)), None)

    def active(self) -> list[Incident]:
        """Those that go on, or had their last line a moment ago; the newest last."""
        return [item for item in self._active if self._is_active(item)]

    def _is_active(self, incident: Incident) -> bool:
        return not incident.is_over or self.t_ns - incident.last_ns < FRESH_NS

    def _beside(self, lines: list[Line], key: Key, text: str, since_ns: int) -> None:
        line = next((line for line in lines if line.key == key), None)
        if line is None:
            line = Line(key)
            lines.append(line)
        line.say(self.place, self.t_ns, text, since_ns)

    def _touch(self, incident: Incident) -> None:
        incident.last_ns, self._told_at = self.t_ns, self.place

    def _headline(self, incident: Incident, text: str, glyph: str, tone: str, *, joins: bool = False) -> None:
        self.marked = self.place, text
        before = self.moments[-1] if self.moments else None
        if before is not None and before.incident == incident.number:
            if before.text == text:
                return
            joined = f"{before.text} {text}"
            if joins and self.t_ns - before.t_ns <= JOIN_NS and len(joined) <= HEADLINE_MAX:
                text = joined
        self.moments.append(Moment(self.place, self.t_ns, glyph, tone, text, incident.number, self.cells))
