"""What the story says of replicas that are moved: one incident from the request to the end. Source: KIP-455."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import controller
from cluster.model.identifiers import TopicPartition
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.telling import words
from workbench.telling.telling import GOOD, INFO, WARN

KIND = "move"


class Moves:
    """Tells of reassignments. Changes of the ISR belong to the one that is under way."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller

    def on_begun(self, _entry: Entry, event: controller.ReassignmentBegun, picture: ClusterView) -> None:
        """The controller has decided where a partition is to be."""
        tp = TopicPartition(event.topic, event.partition)
        item = picture.facts(tp)
        before = tuple(item.replicas) if item is not None else ()
        left = [node for node in before if node not in event.adding_replicas]
        origin = f"from {words.nodes(left)} " if left else ""
        text = f"{words.log_name(tp)} moves {origin}to {words.nodes(event.replicas)}"
        incident = self.teller.owing(("moved", tp))
        if incident is None:
            incident = self.teller.open(text, glyph="\u25b8", tone=INFO, kind=KIND)
        else:
            self.teller.rename(incident, text)
        incident.parts.add(tp)
        self.teller.owe(incident, ("moved", tp))
        if event.adding_replicas:
            self.teller.step(incident, f"{words.nodes(event.adding_replicas)} copies first", key=("adds",))

    def on_ended(self, _entry: Entry, event: controller.ReassignmentEnded, _picture: ClusterView) -> None:
        """All of the target are in sync, or it is put back."""
        tp = TopicPartition(event.topic, event.partition)
        incident = self.teller.owing(("moved", tp))
        log, done = words.log_name(tp), event.how == "completed"
        text = f"{log} {'has moved to' if done else 'stays on'} {words.nodes(event.replicas)}"
        away = f", away from {words.nodes(event.left)}" if done and event.left else ""
        tone = GOOD if done else WARN
        if incident is None:
            self.teller.settle(self.teller.open(text + away, glyph="\u25b8", tone=tone, kind=KIND))
            return
        keep = "keeps" if len(event.left) == 1 else "keep"
        keeps = f"; {words.nodes(event.left)} {keep} no copy" if event.left else ""
        self.teller.step(incident, f"{text}{keeps}", now=f"{text}{away}.", tone=tone)
        self.teller.rename(incident, text + away)
        self.teller.pay(("moved", tp))
