"""What was lost or refused: logs that are cut, records that were acknowledged and are gone, writes that failed."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from cluster.language.topics import acks_text
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import client, replica
from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition
from cluster.picture.asked import AckedRange
from cluster.picture.logs import LogCut
from workbench.session.story.cells import CUT, LOGS, Cells
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS, STORY
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.telling import words
from workbench.telling.telling import BAD, WARN
from workbench.telling.words import error_name, node_name

TOO_FEW = (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
NOW_SO: dict[int, str] = {
    ErrorCode.DUPLICATE_VOTER: "it is a voter",
    ErrorCode.VOTER_NOT_FOUND: "it is no voter",
    ErrorCode.TOPIC_ALREADY_EXISTS: "the topic is there",
}
"""What an error says of the state that was asked for; after a try without an answer nobody knows who made it so."""
WRITES_MAX = 1024
"""Acknowledgements of a partition whose instants are remembered, the newest."""
OUT_OF_ORDER_MAX = 256
"""Acknowledgements in a row of what lies before a cut, after which none of what it removed is to be expected."""


class Write(NamedTuple):
    """When records were acknowledged."""

    end_offset: Offset
    t_ns: int
    place: int


class Losses:
    """Tells what is gone."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self.writes: dict[TopicPartition, deque[Write]] = {}
        self._cuts = 0

    def on_acknowledged(self, tp: TopicPartition, end_offset: Offset) -> None:
        """Remember when it was acknowledged: a later cut below end_offset takes it back."""
        known = self.writes.get(tp)
        if known is None:
            known = self.writes[tp] = deque(maxlen=WRITES_MAX)
        known.append(Write(end_offset, self.teller.t_ns, self.teller.place))

    def look(self, picture: ClusterView) -> None:
        """Tell every cut that the picture has had since."""
        while self._cuts < len(picture.cuts):
            cut = picture.cuts[self._cuts]
            self._cuts += 1
            if cut.topic_partition != METADATA and cut.end_offset < cut.old_end_offset:
                self._tell(cut, picture)

    def _tell(self, cut: LogCut, picture: ClusterView) -> None:
        tp, name, log = cut.topic_partition, node_name(cut.node), words.log_name(cut.topic_partition)
        gone = _lost(cut, picture)
        self.teller.cells = Cells(LOGS, (cut.node,), tp, cut.end_offset, cut.old_end_offset, CUT)
        count = sum(item.record_count for item in gone)
        home = self.teller.home((cut.node,), tp)
        if cut.kind == "truncated":
            cuts = f"{name} cuts its log of {log} from {cut.old_end_offset} to {cut.end_offset}"
        else:
            cuts = f"{name} has {log} to {cut.end_offset} only, of {cut.old_end_offset}"
        if not count:
            self._tell_harmless(cut, cuts, home, picture)
            return
        first, end = gone[0].base_offset, gone[-1].base_offset + gone[-1].record_count
        which = f": {words.offsets(first, end)}" if count == end - first else ""
        many = "One acknowledged record is" if count == 1 else f"{words.number(count).title()} acknowledged records are"
        head = f"{words.plural(count, 'acknowledged record')} lost"
        incident = self.teller.open(head, f"{cuts}. {many} lost{which}.", glyph="\u2702", tone=BAD,
                                    nodes=(cut.node,), kind="lost")  # fmt: skip
        incident.parts.add(tp)
        self._retell(incident, tp, cut.node, first)
        self.teller.step(incident, cuts, glyph="\u2702", tone=BAD)
        self.teller.step(incident, f"{many} on no replica now{which}", tone=BAD)
        if home is not None:
            self.teller.cost(home, ("lost", tp, self.teller.place), f"{count:,} of {log} lost")
        self.teller.settle(incident)

    def _retell(self, incident: Incident, tp: TopicPartition, node: NodeId, first: Offset) -> None:
        """How it came to this: when these records were acknowledged, and what happened to their partition since."""
        when = next((write for write in self.writes.get(tp, ()) if write.end_offset > first), None)
        if when is None:
            return
        incident.retold.append((when.t_ns, when.place, f"record {first} of {words.log_name(tp)} was acknowledged"))
        for other in self.teller.incidents[:-1]:
            if other.t_ns >= when.t_ns and node in other.nodes:
                incident.retold.append((other.t_ns, other.place, other.head.said[-1].text))
            for line in other.steps:
                if line.first.t_ns >= when.t_ns and line.level == STORY and line.key == ("led", tp):
                    incident.retold.append((line.first.t_ns, line.first.place, line.first.text))
        incident.retold.sort()

    def _tell_harmless(self, cut: LogCut, cuts: str, home: Incident | None, picture: ClusterView) -> None:
        """Nobody was promised what goes, or others have it."""
        count = cut.old_end_offset - cut.end_offset
        left = "others have what is gone" if _others_have(cut, picture) else "nobody was told that these were written"
        called = "" if home is None else self._called_written(home, cut)
        text = called or f"{cuts}: {left}"
        if home is None:
            self.teller.open(f"{cuts}", f"{cuts}: {left}.", glyph="\u2702", tone=WARN, nodes=(cut.node,), kind="cut")
        else:
            self.teller.step(home, text, now=f"{text}.", glyph="\u2702", tone=WARN)
            which = (
                f"{words.plural(count, 'record')} of {words.log_name(cut.topic_partition)} cut on {node_name(cut.node)}"
            )
            self.teller.cost(home, ("cut", cut.node, cut.topic_partition), which)

    def _called_written(self, home: Incident, cut: LogCut) -> str:
        """Of a power loss: how many records the disk had called written that are gone."""
        called = home.called_written.get((cut.node, cut.topic_partition), 0)
        if not called or cut.kind == "truncated":
            return ""
        records = words.plural(min(called, cut.old_end_offset - cut.end_offset), "record")
        return f"The disk of {node_name(cut.node)} lied: with the power went {records} that it had called written"

    def on_refused(self, entry: Entry, event: replica.ProduceRefused, _picture: ClusterView) -> None:
        """A leader writes nothing."""
        tp = TopicPartition(event.topic, event.partition)
        told = entry.decision.numbers if entry.decision is not None else {}
        isr, least = told.get("isr"), told.get("min.insync.replicas")
        if event.error not in TOO_FEW or not isinstance(isr, list) or not isinstance(least, int):
            home = self.teller.home((entry.node,), tp)
            if home is not None:
                text = f"{node_name(entry.node)} refuses a write to {words.log_name(tp)}: {error_name(event.error)}"
                self.teller.step(home, text, level=DETAILS, tone=WARN)
            return
        acks = f"acks={acks_text(event.acks)}"
        few = f"{words.plural(len(isr), 'replica')} in sync, min.insync is {least}"
        home = self.teller.home((), tp)
        text = f"{acks} is refused on {words.log_name(tp)}: {few}"
        now = f"{acks} is refused: {few}. Nothing was written."
        if home is None:
            past = f"{acks} was refused on {words.log_name(tp)}: {few}"
            home = self.teller.open(past, now, glyph="\u2717", tone=BAD, nodes=(entry.node,), kind="refused")
            home.parts.add(tp)
            self.teller.settle(home)
        self.teller.step(home, text, now=now, glyph="\u2717", tone=BAD)

    def on_failed(self, _entry: Entry, event: client.OperationFailed, _picture: ClusterView) -> None:
        """A client was told no; what a leader told already is told once."""
        if event.function == "produce" and event.error in TOO_FEW:
            return
        self._tell_client(event, f"failed: {error_name(event.error)}", "nothing was done")

    def on_unknown(self, _entry: Entry, event: client.OperationUnknown, _picture: ClusterView) -> None:
        """A client does not know."""
        how = "got no answer" if event.error < 0 else f"ended with {error_name(event.error)}"
        known = NOW_SO.get(event.error)
        self._tell_client(
            event, how, f"{known}, perhaps by a try that got no answer" if known else "it may be done or not"
        )

    def _tell_client(self, event: client.OperationFailed | client.OperationUnknown, how: str, so: str) -> None:
        tp = TopicPartition(event.topic, event.partition)
        what = {"produce": "a write to", "consume": "a read of"}.get(event.function)
        said = f"{what} {words.log_name(tp)}" if what else event.function.replace("_", " ")
        text, now = f"{said} {how}", f"{words.sentence(said)} {how}: {so}."
        home = self.teller.home((), tp) or self._of_trouble()
        if home is None:
            home = self.teller.open(f"{words.sentence(said)} {how}", now, glyph="\u2717", tone=BAD, kind="refused")
            home.parts.add(tp)
            self.teller.settle(home)
        else:
            self.teller.step(home, text, now=now, glyph="\u2717", tone=BAD)

    def _of_trouble(self) -> Incident | None:
        """What goes on now and may well be why."""
        return next((item for item in reversed(self.teller.active()) if not item.is_over), None)


def _lost(cut: LogCut, picture: ClusterView) -> list[AckedRange]:
    """Acknowledged batches of what was cut that no log holds any more, also not that of a node that is down."""
    tp = cut.topic_partition
    acked = picture.acked.get(tp)
    if acked is None:
        return []
    logs = [log for (_, where), log in picture.logs.items() if where == tp]
    found: list[AckedRange] = []
    before = 0
    for place in range(len(acked.newest) - 1, -1, -1):
        item = acked.newest[place]
        before = before + 1 if item.base_offset + item.record_count <= cut.end_offset else 0
        if before > OUT_OF_ORDER_MAX:
            break
        if before or item.base_offset >= cut.old_end_offset:
            continue
        if all(log.lacks(item.base_offset, item.digest) for log in logs):
            found.append(item)
    # Of what was acknowledged long ago only the offsets are known.
    end = max(log.log_end_offset for log in logs)
    for start, upto in acked.older.ranges():
        first, last = max(start, end, cut.end_offset), min(upto, cut.old_end_offset)
        if first < last:
            found.append(AckedRange(tp, first, last - first, "", ""))
    return sorted(found, key=lambda item: item.base_offset)


def _others_have(cut: LogCut, picture: ClusterView) -> bool:
    logs = [log for (node, where), log in picture.logs.items() if where == cut.topic_partition and node != cut.node]
    ghosts = picture.logs[cut.node, cut.topic_partition].ghosts
    return bool(ghosts) and all(any(log.holds(ghost.offset, ghost.epoch) for log in logs) for ghost in ghosts)
