"""Causes: faults that are asked for, processes that end and start again, runs that begin and end."""

from __future__ import annotations

from typing import NamedTuple

from cluster.faults.fault import APART, OTHER, SLOW
from cluster.faults.plucking import Pluck
from cluster.lab import LEARNER, LECTURER
from cluster.language.topics import acks_text
from cluster.model.entry import Entry
from cluster.model.events import lab, load
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from workbench.session.story.deeds import BY_YOU, ENDING, TRAP, deed_of, is_lasting
from workbench.session.story.incident import Incident
from workbench.session.story.line import seconds
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView, is_cut
from workbench.session.views.sides import sides_of
from workbench.telling import words
from workbench.telling.lab import fate_of
from workbench.telling.network import quoted
from workbench.telling.telling import BAD, GOOD, INFO, WARN
from workbench.telling.words import exit_word, fault_words, node_name

PLUCKED = "plucked"


class Asked(NamedTuple):
    """A fault that was asked for, in words of the moment before it."""

    place: int
    t_ns: int
    past: str
    meaning: str
    """What it means, as the headline's second sentence; empty when that shows by itself."""
    kind: str
    nodes: tuple[NodeId, ...]
    called_written: dict[tuple[NodeId, TopicPartition], int]
    """Records that the disks of its nodes have called written, and are not."""


class Causes:
    """Tells what incidents begin with."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self.asked: dict[int, Asked] = {}
        """Faults that were asked for and are not in force yet, by id."""

    def on_injected(self, entry: Entry, event: lab.FaultInjected, picture: ClusterView) -> None:
        """It is told once it has come true: what is refused after all is no part of the story."""
        trap = self.teller.newest(TRAP)
        if trap is not None and event.kind == "Kill" and trap.nodes.issuperset(event.nodes):
            trap.fault_ids.add(event.fault_id)
            self.teller.step(trap, f"{words.nodes(event.nodes)} is killed", glyph="\u2717", tone=BAD)
            return
        by_you = entry.trigger.removeprefix(BY_YOU) in (LEARNER, LECTURER)
        nodes = _about(event)
        named = words.listed([words.with_role(picture, node) for node in nodes], 2)
        deed = deed_of(event.kind)
        past = (deed.yours if by_you else deed.others).format(
            n=f"{named}," if ", " in named and not by_you else named,
            what=fault_words(event.kind, event.arguments),
            links=_links(event),
            cut=_cut_said(event),
            message=_message_said(event, picture),
        )
        called = {
            key: log.claimed_offset - log.durable_offset
            for key, log in picture.logs.items()
            if key[0] in nodes and log.claimed_offset > log.durable_offset
        }
        self.asked[event.fault_id] = Asked(
            self.teller.place,
            self.teller.t_ns,
            words.sentence(past),
            _meaning(event, nodes, picture),
            event.kind,
            nodes,
            called,
        )

    def on_applied(self, _entry: Entry, event: lab.FaultApplied, picture: ClusterView) -> None:
        """It is in force."""
        incident = self.teller.of_fault(event.fault_id)
        if incident is None:
            incident = self._begin(self.asked.pop(event.fault_id, self._unasked(event)))
        self.teller.marked = self.teller.place, incident.head.said[-1].text
        incident.fault_ids.add(event.fault_id)
        if not is_lasting(event.kind):
            incident.fault_ids.discard(event.fault_id)
        elif event.kind != TRAP:
            self.teller.cost(incident, ("force", event.fault_id), "in force for {}", incident.t_ns)
        if sides := _sides_said(event, picture):
            self.teller.step(incident, sides[0], now=sides[1], glyph=APART, tone=BAD)
        self.teller.settle(incident)

    def _unasked(self, event: lab.FaultApplied) -> Asked:
        """As older traces tell it: nobody asked."""
        past = f"Fault: {fault_words(event.kind, event.arguments)}"
        return Asked(self.teller.place, self.teller.t_ns, past, "", event.kind, _about(event), {})

    def _begin(self, asked: Asked) -> Incident:
        glyph = deed_of(asked.kind).glyph
        incident = self.teller.open(
            asked.past, f"{asked.past}. {asked.meaning}".strip(), glyph=glyph,
            tone=WARN if glyph in (SLOW, OTHER) else BAD, nodes=asked.nodes, kind=asked.kind,
            since=(asked.place, asked.t_ns),
        )  # fmt: skip
        incident.called_written = asked.called_written
        return incident

    def on_plucked(self, _entry: Entry, event: lab.MessagePlucked, _picture: ClusterView) -> None:
        """The message that a fault was waiting for."""
        incident = self.teller.of_fault(event.fault_id)
        if incident is None:
            return
        fate, bad = fate_of(event), event.fate == lab.DROP
        said = quoted(event.message, event.numbers)
        message = f"{node_name(event.source)}'s {said} to {node_name(event.target)}"
        self.teller.step(
            incident, f"{message} {fate}", now=f"{message} is plucked: it {fate}.", key=(PLUCKED, event.fault_id),
            glyph="\u2717" if bad else OTHER, tone=BAD if bad else WARN,
        )  # fmt: skip

    def on_reverted(self, _entry: Entry, event: lab.FaultReverted, _picture: ClusterView) -> None:
        """What was ended stays so: its start is told by itself."""
        incident = self.teller.of_fault(event.fault_id)
        if incident is None:
            return
        incident.fault_ids.discard(event.fault_id)
        lasted = seconds(self.teller.t_ns - incident.t_ns)
        if event.kind == Pluck.__name__ and not _is_held(event):
            self.teller.cost(incident, ("force", event.fault_id), "")
            if incident.line(incident.steps, (PLUCKED, event.fault_id)) is None:
                self.teller.step(incident, "no such message came", now="It is taken back: no such message came.")
        elif event.kind != TRAP:
            self.teller.cost(incident, ("force", event.fault_id), f"healed after {lasted}")
            over = deed_of(event.kind).over or f"it is over: {fault_words(event.kind, event.arguments)}"
            over = over.format(n=words.nodes(_about(event), 2))
            self.teller.step(
                incident, over, now=f"{words.sentence(over)}, after {lasted}.", glyph="\u2713", tone=GOOD,
                key=("healed", event.fault_id),
            )  # fmt: skip
        self.teller.settle(incident)

    def on_exited(self, _entry: Entry, event: lab.ProcessExited, picture: ClusterView) -> None:
        """A process is gone: what it led has no leader from now on."""
        node = event.node_id
        incident = self._ended_by(node)
        if incident is None and event.expected:
            return
        if incident is None:
            how = exit_word(event.exit_code)
            incident = self.teller.open(
                f"{self._named(node, picture)} ended by itself: {how}", glyph="\u2717", tone=BAD, nodes=(node,),
                kind="Kill",
            )  # fmt: skip
        elif incident.kind in ENDING and not (incident.owes or incident.costs or incident.steps):
            incident.t_ns = self.teller.t_ns  # processes take some ms to die; all that follows counts from the death
        self.lose_leaders(incident, node, picture)
        if "broker" in picture.node(node).roles and picture.node(node).fenced is False:
            self.teller.owe(incident, ("fenced", node))

    def _ended_by(self, node: NodeId) -> Incident | None:
        for number, asked in self.asked.items():
            if node in asked.nodes and asked.kind in ENDING:
                del self.asked[number]
                incident = self._begin(asked)
                incident.fault_ids.add(number)
                return incident
        return next(
            (item for item in reversed(self.teller.active()) if node in item.nodes and item.kind in (*ENDING, TRAP)),
            None,
        )

    def _named(self, node: NodeId, picture: ClusterView) -> str:
        return f"{node_name(node)}, the leader," if node == self.teller.leader else words.with_role(picture, node)

    def lose_leaders(self, incident: Incident, node: NodeId, picture: ClusterView) -> None:
        """The quorum and the partitions that a node led wait for others."""
        if node == self.teller.leader:
            self.lose_leader(incident)
        for tp in words.led_by(picture, node):
            self.teller.owe(incident, ("leader", tp))
            incident.parts.add(tp)
            self.teller.cost(incident, ("led", tp), f"nobody leads {words.log_name(tp)} for {{}}", self.teller.t_ns)

    def lose_leader(self, incident: Incident) -> None:
        """The quorum has no leader from now on."""
        self.teller.leader, self.teller.leaderless_ns = NO_NODE, self.teller.t_ns
        self.teller.owe(incident, "quorum")
        self.teller.cost(incident, ("leaderless", self.teller.place), "no leader for {}", self.teller.t_ns)

    def on_started(self, _entry: Entry, event: lab.ProcessStarted, picture: ClusterView) -> None:
        """The first start of a node belongs to the beginning of the run."""
        node = event.node_id
        if not event.incarnation_number:
            self._begin_run(picture)
            return
        incident = self.teller.open(
            f"{node_name(node)} is started again", glyph="\u25b8", tone=INFO, nodes=(node,), kind="back"
        )
        self.teller.owe(incident, ("back", node))

    def _begin_run(self, _picture: ClusterView) -> None:
        if not self.teller.incidents:
            incident = self.teller.open("The nodes start", glyph="\u25b8", kind="start")
            self.teller.owe(incident, "quorum")

    def on_ready(self, _entry: Entry, event: lab.ProcessReady, picture: ClusterView) -> None:
        """How many nodes are up at the beginning of the run."""
        first = self.teller.newest("start")
        node = picture.node(event.node_id)
        if first is not None and not node.incarnation:
            up = [item for item in picture.nodes.values() if item.is_up]
            brokers = [item for item in up if "broker" in item.roles]
            controllers = len(up) - len([item for item in brokers if "controller" not in item.roles])
            said = f"{words.plural(controllers, 'controller')} and {words.plural(len(brokers), 'broker')} are up"
            self.teller.step(first, said, key=("up",))

    def on_power_lost(self, _entry: Entry, event: lab.PowerLost, _picture: ClusterView) -> None:
        """What the files kept."""
        incident = self.teller.home((event.node_id,))
        if incident is None:
            return
        unwritten = sum(written - durable for _, written, _, durable, _ in event.files)
        lost = sum(written - kept for _, written, _, _, kept in event.files)
        name = node_name(event.node_id)
        if not unwritten:
            self.teller.step(incident, f"{name} had everything on its disk")
        elif lost:
            self.teller.step(
                incident, f"{name} had not written {unwritten:,} bytes: {lost:,} of them are gone", tone=BAD
            )

    def on_port_taken(self, _entry: Entry, event: lab.PortTaken, _picture: ClusterView) -> None:
        """It waits for its port."""
        incident = self.teller.home((event.node_id,))
        text = f"{node_name(event.node_id)} cannot start yet: another program has port {event.port}"
        if incident is None:
            self.teller.open(text, glyph="!", tone=WARN, nodes=(event.node_id,), kind="port")
        else:
            self.teller.step(incident, text, now=f"{text}.", glyph="!", tone=WARN)

    def on_resumed(self, _entry: Entry, event: lab.RunResumed, _picture: ClusterView) -> None:
        """The clock stood still meanwhile."""
        away = seconds(event.away_ms * 1_000_000)
        incident = self.teller.open(
            f"The run goes on, {away} after it had ended", glyph="\u2551", tone=WARN, kind="start"
        )
        self.teller.leader, self.teller.leaderless_ns = NO_NODE, 0
        self.teller.owe(incident, "quorum")

    def on_load_started(self, _entry: Entry, event: load.LoadStarted, _picture: ClusterView) -> None:
        """A workload goes to work, or on at another rate."""
        work = f"{words.plural(event.rate_per_s, 'record')}/s, acks={acks_text(event.acks)}"
        incident = self.teller.newest("load")
        if incident is None:
            incident = self.teller.open(
                "A producer and a consumer start",
                f"A producer and a consumer start: {work}.",
                glyph="\u25b8",
                kind="load",
            )
            self.teller.settle(incident)
        self.teller.step(incident, f"{work}, to {words.log_name((event.topic, event.partition))}")

    def on_load_ended(self, _entry: Entry, _event: load.LoadEnded, _picture: ClusterView) -> None:
        """It is over."""
        self.teller.settle(self.teller.open("The producer and the consumer have stopped", glyph="\u25a0", kind="idle"))

    def on_run_ended(self, _entry: Entry, event: lab.RunEnded, _picture: ClusterView) -> None:
        """The last line."""
        how = "" if event.clean or event.why else ", and something had to be forced"
        incident = self.teller.open(f"The run has ended{how}", glyph="\u25a0", kind="end")
        self.teller.settle(incident)


def _about(event: lab.FaultInjected | lab.FaultApplied | lab.FaultReverted) -> tuple[NodeId, ...]:
    """The nodes that a fault names; of links both ends."""
    return event.nodes or tuple(sorted({node for way in event.links for node in way if node > 0}))


def _links(event: lab.FaultInjected) -> str:
    pairs = sorted({(min(way), max(way)) for way in event.links if min(way) > 0})
    return words.listed([f"{node_name(a)} and {node_name(b)}" for a, b in pairs], 2)


def _cut_said(event: lab.FaultInjected) -> str:
    """n1 from n2 and n3; what n2 sends to n1."""
    ways = {way for way in event.links if min(way) > 0}
    near: dict[NodeId, set[NodeId]] = {}
    for source, target in ways:
        near.setdefault(source, set()).add(target)
    if near and all(way[::-1] in ways for way in ways):
        there = near[min(near)]
        here = {node for node in near if near[node] == there}
        if here | there == near.keys():
            small, large = sorted((sorted(here), sorted(there)), key=len)
            return f"{words.nodes(small)} from {words.nodes(large)}"
    sources, targets = sorted({a for a, _ in ways}), sorted({b for _, b in ways})
    send = "sends" if len(sources) == 1 else "send"
    if len(sources) == 1 or len(targets) == 1:
        return f"what {words.nodes(sources)} {send} to {words.nodes(targets)}"
    return f"{words.plural(len(ways), 'direction')} between {words.nodes(sorted({*sources, *targets}))}"


def _message_said(event: lab.FaultInjected, picture: ClusterView) -> str:
    """Of a fault of one message: n103's yes to n102, or the next vote response of n103 to n102; empty of any other."""
    given = dict(event.parameters)
    if event.kind != Pluck.__name__ or not event.links:
        return ""
    ((source, target), *_), name = event.links, given["message"]
    flights = (flight for flight in picture.flights.on_link(source, target) if flight.message == name)
    meant = next((flight for flight in flights if str(flight.correlation) == given["number"]), None)
    said = quoted(name, meant.numbers) if meant is not None else f"next {words.message_words(name)}"
    return f"{node_name(source)}'s {said} to {node_name(target)}"


def _is_held(event: lab.FaultReverted) -> bool:
    return dict(event.parameters).get("fate") == lab.HOLD


def _meaning(event: lab.FaultInjected, nodes: tuple[NodeId, ...], picture: ClusterView) -> str:
    """What the end or the silence of these nodes means for the quorum, as far as it can be known at once."""
    if event.kind not in (*ENDING, "Pause", "Isolate"):
        return ""
    gone = {node for node in nodes if node in picture.voters}
    left = [node for node in picture.voters if node not in gone and picture.node(node).is_up]
    total = len(picture.voters)
    if gone and len(left) <= total // 2:
        return f"{len(left)} of {total} voters left: nobody can lead the quorum."
    if event.kind == "Stop" and (picture.quorum_leader in gone or not gone):
        return ""  # who leaves in order says so first: when the process has ended it is known already
    if picture.quorum_leader in gone:
        others = "The other one has" if len(left) == 1 else f"The other {words.number(len(left))} have"
        return f"{others} not noticed yet."
    if gone and picture.quorum_leader != NO_NODE:
        return f"{node_name(picture.quorum_leader)} leads on, with {len(left)} of {total} voters."
    if any(words.led_by(picture, node) for node in nodes):
        return "Nobody has noticed yet."
    return ""


def _sides_said(event: lab.FaultApplied, picture: ClusterView) -> tuple[str, str] | None:
    """(step, headline) of a network that has fallen apart."""
    fault = picture.faults.get(event.fault_id)
    if fault is None or not is_cut(fault):
        return None
    sides = sides_of(picture)
    if len(sides) < 2:
        return None
    small = min(sides, key=lambda side: (side.has_majority, len(side.nodes)))
    here, there, both = words.nodes(small.nodes), "everybody else", ""
    if small.between:
        there = words.nodes(next(side.nodes for side in sides if side is not small))
        both = f" {words.nodes(small.between)} still {'reach' if len(small.between) > 1 else 'reaches'} all."
    deciding = sum(side.has_majority for side in sides)
    can = ("No side has a majority.", "Only the larger side can decide.", "Each side reaches a majority.")[
        min(deciding, 2)
    ]
    if len(sides) > 2:
        return f"{len(sides)} sides", f"The network is cut into {len(sides)} sides.{both} {can}"
    return f"{here} here, {there} there", f"The network is cut: {here} here, {there} there.{both} {can}"
