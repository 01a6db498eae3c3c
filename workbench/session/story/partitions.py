"""What becomes of brokers and partitions: who is fenced, who leads, who is in sync."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import controller, replica
from cluster.model.identifiers import INTERNAL_TOPICS, NO_NODE, NodeId, TopicPartition
from cluster.picture.parts import PartitionState
from workbench.session.story.cells import LOGS, Cells
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS, seconds
from workbench.session.story.moves import KIND as MOVE
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.controller import FENCED
from workbench.telling.telling import BAD, GOOD, INFO, WARN
from workbench.telling.words import node_name


class Shown(NamedTuple):
    """What the story has said of a partition."""

    leader: NodeId
    isr: tuple[NodeId, ...]


class Partitions:
    """Tells of brokers and of the partitions of people's topics."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self._shown: dict[TopicPartition, Shown] = {}

    def on_fenced(self, entry: Entry, event: controller.BrokerFenced, _picture: ClusterView) -> None:
        """A controller takes a broker out of service."""
        teller, name = self.teller, node_name(event.broker_id)
        told = entry.decision.numbers if entry.decision is not None else {}
        silent_ms, limit_ms = told.get("silence_ms"), told.get("session_timeout_ms")
        if isinstance(silent_ms, int) and isinstance(limit_ms, int):
            why, short = f"silent for {silent_ms} ms, its session is {limit_ms} ms", f"silent for {silent_ms} ms"
        else:
            why = short = FENCED.get(event.why, safe_text(event.why, 60))
        incident = teller.home((event.broker_id,))
        text = f"{name} is fenced: {why}"
        if incident is None:
            past = f"{name} was fenced, {short}"
            teller.open(past, f"{text}.", glyph="\u2717", tone=BAD, nodes=(event.broker_id,), kind="fenced")
        else:
            teller.step(incident, text, now=f"{text}.", glyph="\u2717", tone=BAD)
        teller.pay(("fenced", event.broker_id))

    def on_unfenced(self, _entry: Entry, event: controller.BrokerUnfenced, picture: ClusterView) -> None:
        """It is in service again; what it does not follow yet is owed."""
        node, teller = event.broker_id, self.teller
        first, incident = teller.newest("start"), teller.home((node,))
        if incident is None or incident is first and not picture.node(node).incarnation:
            if first is not None:
                in_service = sum(item.fenced is False for item in picture.nodes.values())
                teller.step(
                    first, f"{words.plural(in_service, 'broker is', 'brokers are')} in service", key=("service",)
                )
            return
        behind = [tp for tp, item in picture.partitions.items() if _lacks(item, node)]
        teller.step(incident, f"{node_name(node)} is in service again", tone=GOOD)
        if behind:
            incident.parts.update(behind)
            teller.owe(incident, *(("in sync", tp, node) for tp in behind))
        if incident.kind == "back":
            teller.rename(incident, f"{node_name(node)} came back")
        teller.pay(("back", node))

    def on_topic_created(self, _entry: Entry, event: controller.TopicCreated, _picture: ClusterView) -> None:
        """A topic of people's."""
        if event.topic in INTERNAL_TOPICS:
            return
        parts = words.plural(event.partitions, "partition")
        name = words.log_name((event.topic, 0)).rpartition("-")[0]
        incident = self.teller.open(
            f"Topic {name} is created: {parts}, min.insync {event.min_insync_replicas}", glyph="\u25b8", kind="topic"
        )
        made = [TopicPartition(event.topic, index) for index in range(event.partitions)]
        incident.parts.update(made)
        self.teller.owe(incident, *(("leader", tp) for tp in made))

    def on_topic_deleted(self, _entry: Entry, event: controller.TopicDeleted, _picture: ClusterView) -> None:
        """Its partitions are no story any more."""
        name = words.log_name((event.topic, 0)).rpartition("-")[0]
        incident = self.teller.open(f"Topic {name} is deleted", glyph="\u25b8", kind="topic")
        self.teller.settle(incident)
        self._shown = {tp: item for tp, item in self._shown.items() if tp.topic != event.topic}

    def on_became_leader(self, entry: Entry, event: replica.BecameLeader, picture: ClusterView) -> None:
        """A partition has a leader that knows it."""
        tp = TopicPartition(event.topic, event.partition)
        if tp.topic in INTERNAL_TOPICS:
            return
        teller, name, log = self.teller, node_name(entry.node), words.log_name(tp)
        cause = teller.owing(("leader", tp))
        incident = cause or teller.home((entry.node,), tp)
        text, item = f"{name} leads {log} in e{event.leader_epoch}", picture.facts(tp)
        start = f", from {event.epoch_start_offset}" if event.epoch_start_offset else ""
        if picture.is_unclean(tp, event.leader_epoch):
            incident = self._tell_unclean(cause, tp, entry.node, f"{text} by an unclean election", start)
        elif incident is None:
            incident = teller.open(text, f"{text}{start}.", glyph="\u2605", tone=GOOD, nodes=(entry.node,), kind="led")
        else:
            teller.step(incident, text + start, now=f"{text}.", key=("led", tp), glyph="\u2605", tone=GOOD, joins=True)
        if incident.kind == "topic" and len(incident.parts) == 1:
            teller.rename(incident, text)
            incident.head.glyph, incident.head.tone = "\u2605", GOOD
            if item is not None:
                isr = " ".join(map(str, sorted(event.isr)))
                teller.step(incident, f"ISR {isr}, min.insync {item.min_insync_replicas}")
        cost = incident.line(incident.costs, ("led", tp))
        if cost is not None and cost.said[-1].since_ns:
            lasted = seconds(teller.t_ns - cost.said[-1].since_ns)
            teller.cost(incident, ("led", tp), f"nobody led {log} for {lasted}")
        teller.pay(("leader", tp))

    def _tell_unclean(
        self, cause: Incident | None, tp: TopicPartition, node: NodeId, text: str, start: str
    ) -> Incident:  # fmt: skip
        """An incident of its own, never the return of who was chosen; what took the leader away ends with it."""
        teller, now = self.teller, f"{text}: it was not in sync, records may be lost."
        own = teller.open(text, now, glyph="\u2605", tone=BAD, nodes=(node,), kind="led")
        own.parts.add(tp)
        teller.step(own, f"{text}{start}: it was not in sync", key=("led", tp), glyph="\u2605", tone=BAD)
        teller.settle(own)
        if cause is not None:
            teller.step(cause, text, key=("unclean", tp), glyph="\u2605", tone=BAD)
        return cause or own

    def on_progress(self, entry: Entry, _event: object, picture: ClusterView) -> None:
        """The metadata log has committed more: decisions that came true with it are told."""
        if picture.settled[0] is entry:
            for decided in picture.settled[1]:
                if isinstance(decided, controller.PartitionDecided):
                    self._tell(TopicPartition(decided.topic, decided.partition), picture, is_decided=True)

    def on_applied(self, _entry: Entry, event: controller.PartitionApplied, picture: ClusterView) -> None:
        """A broker shows what is committed, also where no controller told it."""
        self._tell(TopicPartition(event.topic, event.partition), picture)

    def _tell(self, tp: TopicPartition, picture: ClusterView, *, is_decided: bool = False) -> None:
        """How the committed state of a partition differs from what was said of it.

        is_decided: the controller that decided it tells, and not a broker that has applied it.
        """
        item = picture.facts(tp)
        if item is None or tp.topic in INTERNAL_TOPICS:
            return
        before, now = self._shown.get(tp), Shown(item.leader, item.isr)
        if before == now:
            return
        self._shown[tp] = now
        if before is None:
            return
        left = [node for node in before.isr if node not in now.isr]
        joined = [node for node in now.isr if node not in before.isr]
        if picture.is_unclean(tp, item.leader_epoch) and item.leader != before.leader:
            joined.remove(item.leader)  # nobody saw it catch up: told once it leads
            self.teller.pay(("in sync", tp, item.leader))
        if left:
            self._tell_left(tp, item, before, left, is_decided=is_decided)
        if joined:
            self._tell_joined(tp, item, before, joined)
        if now.leader == NO_NODE and before.leader != NO_NODE:
            self._tell_leaderless(tp, before.leader, by_majority=item.by_majority)

    def _tell_left(
        self, tp: TopicPartition, item: PartitionState, before: Shown, left: list[NodeId], *, is_decided: bool
    ) -> None:
        teller, log = self.teller, words.log_name(tp)
        sizes = f"{len(before.isr)} to {len(item.isr)}"
        names, teller.cells = words.nodes(left), Cells(LOGS, tuple(left), tp)
        incident = teller.home(left, tp)
        change = item.change
        told = change.wanted.decision.numbers if change and change.wanted and change.wanted.decision else {}
        behind_ms = told.get("not_caught_up_ms")
        leaves = "leaves" if len(left) == 1 else "leave"
        if isinstance(behind_ms, int) and behind_ms >= 0:
            has = "has" if len(left) == 1 else "have"
            now = f"{names} {has} not caught up for {seconds(behind_ms * 1_000_000)}: "
            now += f"{'it' if len(left) == 1 else 'they'} {leaves} the ISR of {log}, {sizes}."
            text = f"{names} {leaves} the ISR of {log}, {sizes}: not caught up for {seconds(behind_ms * 1_000_000)}"
            now += " acks=all no longer waits for it." if len(left) == 1 else ""
        else:
            text, now = f"{log}: ISR {sizes}, without {names}", ""
            if is_decided and incident is None:
                now = f"{names} {leaves} the ISR of {log}, {sizes}."
        if incident is None:
            past = f"{names} left the ISR of {log}, {sizes}"
            incident = teller.open(past, now, glyph="-", tone=WARN, nodes=left, kind="isr")
            incident.parts.add(tp)
        else:
            incident.parts.add(tp)
            teller.step(incident, text, now=now, glyph="-", tone=WARN)
        most = incident.isr_sizes.setdefault(tp, len(before.isr))
        teller.cost(incident, ("isr", tp), f"{log} ISR {most} to {len(item.isr)}")
        if len(item.isr) < item.min_insync_replicas:
            text = f"{len(item.isr)} in sync, min.insync is {item.min_insync_replicas}: acks=all will be refused"
            teller.step(incident, text, key=("under", tp), tone=BAD)

    def _tell_joined(self, tp: TopicPartition, item: PartitionState, before: Shown, joined: list[NodeId]) -> None:
        teller, log = self.teller, words.log_name(tp)
        sizes = f"{len(before.isr)} to {len(item.isr)}"
        are = "is" if len(joined) == 1 else "are"
        text = f"{words.nodes(joined)} {are} back in the ISR of {log}, {sizes}"
        incident, teller.cells = teller.home(joined, tp), Cells(LOGS, tuple(joined), tp)
        if incident is not None and incident.kind == MOVE:  # its headline says where the partition is now
            teller.step(incident, f"{words.nodes(joined)} {are} in the ISR of {log} now, {sizes}", glyph="+", tone=GOOD)
        elif incident is None:
            incident = teller.open(text, glyph="+", tone=GOOD, nodes=joined, kind="isr")
        else:
            teller.step(incident, text, now=f"{text}.", glyph="+", tone=GOOD)
        incident.parts.add(tp)
        teller.pay(*(("in sync", tp, node) for node in joined))
        teller.settle(incident)

    def _tell_leaderless(self, tp: TopicPartition, before: NodeId, *, by_majority: bool) -> None:
        teller, log = self.teller, words.log_name(tp)
        incident = teller.home((before,), tp)
        why = "a majority is asked where its logs end" if by_majority else "no replica in sync is in service"
        text = f"nobody leads {log}: {why}"
        if incident is None:
            incident = teller.open(f"Nobody leads {log}", glyph="\u2717", tone=BAD, nodes=(before,), kind="led")
        teller.step(incident, text, now=f"N{text[1:]}.", glyph="\u2717", tone=BAD)
        incident.parts.add(tp)
        if incident.line(incident.costs, ("led", tp)) is None:
            teller.cost(incident, ("led", tp), f"nobody leads {log} for {{}}", teller.t_ns)
        teller.owe(incident, ("leader", tp))

    def on_lagging(self, _entry: Entry, event: replica.ReplicaLagging, _picture: ClusterView) -> None:
        """It is still in sync, and about to be no more."""
        tp = TopicPartition(event.topic, event.partition)
        incident = self.teller.home((event.replica_id,), tp) if tp.topic not in INTERNAL_TOPICS else None
        if incident is not None:
            what = "falls behind" if event.lagging else "has caught up"
            text = f"{node_name(event.replica_id)} {what} in {words.log_name(tp)}"
            self.teller.step(incident, text, level=DETAILS, tone=WARN if event.lagging else INFO)


def _lacks(item: PartitionState, node: NodeId) -> bool:
    """Whether it is to be in sync and is not yet."""
    return node in item.replicas and node not in item.isr and item.topic_partition.topic not in INTERNAL_TOPICS
