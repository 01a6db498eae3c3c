"""The controller on one broker: it takes over when it has won, decides, and its end. Source: Kafka KafkaController."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.effects import Emit
from cluster.model.events import ControllerTookOver
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import WatchedEvent
from cluster.zookeeper import controller_events
from cluster.zookeeper.client_session import ClientSession
from cluster.zookeeper.context import ControllerContext, Wanted
from cluster.zookeeper.controller_election import race
from cluster.zookeeper.controller_requests import REQUESTS
from cluster.zookeeper.flows import Flow, Flows
from cluster.zookeeper.office import Caller, Office
from cluster.zookeeper.paths import (
    BROKER_IDS,
    CONTROLLER,
    DELETE_TOPICS,
    ISR_CHANGES,
    TOPICS,
)
from cluster.zookeeper.state_machine import ControllerMoved, Steps

QUEUE = "controller"
"""Its events are done one after another, as by Kafka's controller thread."""
NEWER = "another controller wrote a newer epoch"
WATCHED: dict[str, Callable[[Office], Steps[None]]] = {
    BROKER_IDS: controller_events.on_brokers,
    TOPICS: controller_events.on_topics,
    DELETE_TOPICS: controller_events.on_topic_deletion,
    ISR_CHANGES: controller_events.on_isr_changes,
}
"""What to do when a watch on the names below a path saw something."""


class KafkaController:
    """One broker's part in the race, and its office while it holds it."""

    __slots__ = ("_flows", "_session", "office")

    def __init__(self, office: Office, session: ClientSession, flows: Flows) -> None:
        self._session, self._flows = session, flows
        self.office = office
        """What it holds while it is the controller."""

    def race(self) -> None:
        """Look at /controller, and try to have it."""
        self._flows.add(QUEUE, self._race)

    def on_session_back(self) -> None:
        """The session was silent: what its watches would have told is looked up."""
        self.race()
        for path in WATCHED:
            self._add(WATCHED[path])

    def on_session_expired(self) -> None:
        """/controller is gone with the session."""
        self.office.resign("its session expired")
        self.office.controller_id = NO_NODE

    def on_watched(self, event: WatchedEvent) -> None:
        """Something changed; what, a new look tells. Source: Kafka ZNodeChangeHandler, ZNodeChildChangeHandler."""
        if event.path == CONTROLLER:
            self.race()
        elif event.path in WATCHED:
            self._add(WATCHED[event.path])

    def on_request(self, received: Received) -> None:
        """Somebody asks for something that only the controller does."""
        begin = REQUESTS.get(type(received.message))
        caller = Caller(received.sender, received.correlation, received.message)
        if not self.office.is_active or begin is None:
            self.office.refuse(caller)
            return
        self.office.expect(caller)
        self._add(lambda office: begin(office, caller))

    def _add(self, begin: Callable[[Office], Steps[None]]) -> None:
        self._flows.add(QUEUE, lambda: self._event(begin))

    def _event(self, begin: Callable[[Office], Steps[None]]) -> Flow:
        """An event of the controller: nothing for who is none by now."""
        if not self.office.is_active:
            return
        try:
            yield from begin(self.office)
        except ControllerMoved:
            self.office.resign(NEWER)
            self.race()

    def _race(self) -> Flow:
        """Read everything and decide, for who has just won."""
        if not (yield from race(self.office, self._session.session_id)):
            return
        try:
            yield from _take_over(self.office)
        except ControllerMoved:
            self.office.resign(NEWER)
            self.race()


def _take_over(office: Office) -> Steps[None]:
    """Watch, read everything, then decide. The more partitions there are, the longer nobody decides anything."""
    began_ms, context = office.now_ms, office.context
    yield from controller_events.load(office)
    read_ms = office.now_ms - began_ms
    partitions, live = context.image.partitions, context.image.brokers
    office.machine.update_metadata([])
    gone = frozenset(node for state in partitions.values() for node in state.replicas if node not in live)
    yield from office.machine.change(
        sorted(partitions), lambda where: after_failover(context, where, gone), are_fresh=True
    )
    office.machine.push(partitions)
    took_over = ControllerTookOver(
        controller_epoch=context.epoch,
        partitions=len(partitions),
        brokers=tuple(live),
        read_ms=read_ms,
        total_ms=office.now_ms - began_ms,
    )
    office.out.append(Emit(took_over))
    yield from controller_events.on_topic_deletion(office)


def after_failover(context: ControllerContext, where: TopicPartition, gone: frozenset[NodeId]) -> Wanted | None:
    """Who died while nobody controlled; who may lead again now that somebody does."""
    if context.image.partitions[where].leader == NO_NODE:
        return context.elect(where, "a new controller looks")
    return context.without(where, gone, "a new controller looks")
