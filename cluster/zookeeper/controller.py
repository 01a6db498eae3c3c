"""The controller on one broker: the race for /controller, the take-over, and its end. Source: Kafka KafkaController."""

from __future__ import annotations

from collections.abc import Callable

from cluster.model.effects import Emit
from cluster.model.events import ControllerActivated, ControllerRaceLost, ControllerRaceWon, ControllerTookOver
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import WatchedEvent, ZooKeeperCode
from cluster.zookeeper import controller_events
from cluster.zookeeper.client_session import ClientSession
from cluster.zookeeper.context import ControllerContext, Wanted
from cluster.zookeeper.controller_requests import REQUESTS
from cluster.zookeeper.flows import Flow, Flows, create, get, put
from cluster.zookeeper.office import Caller, Office
from cluster.zookeeper.paths import (
    BROKER_IDS,
    CONTROLLER,
    CONTROLLER_EPOCH,
    DELETE_TOPICS,
    ISR_CHANGES,
    TOPICS,
    BadData,
    decode_controller,
    encode_controller,
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
        """Whoever creates /controller controls. Everybody else waits for it to go."""
        while True:
            found = (yield [get(CONTROLLER, watch=True)])[0]
            is_own = found.is_ok and found.last.owner == self._session.session_id
            if found.is_ok and not is_own:
                self._lose_to(found.last.data)
                return
            if is_own and self.office.is_active:
                return
            if is_own:  # the answer to its creation was lost, and the one to the second try says that it is there
                epoch_node = (yield [get(CONTROLLER_EPOCH)])[0].last
                self._win(_epoch_of(epoch_node.data), epoch_node.version)
                break
            self.office.resign("/controller is gone")
            if (yield from self._try_to_win()):
                break
        try:
            yield from _take_over(self.office)
        except ControllerMoved:
            self.office.resign(NEWER)
            self.race()

    def _lose_to(self, data: str) -> None:
        office = self.office
        try:
            winner = decode_controller(data)
        except BadData:
            winner = NO_NODE
        office.resign("another broker has /controller")
        if winner != office.controller_id:
            office.controller_id = winner
            office.out.append(Emit(ControllerRaceLost(controller_id=winner)))

    def _try_to_win(self) -> Steps[bool]:
        """Create /controller and count the epoch in one transaction (since 2.2)."""
        found = (yield [get(CONTROLLER_EPOCH)])[0]
        is_first = found.error == ZooKeeperCode.NO_NODE
        epoch: Epoch = 1 if is_first else _epoch_of(found.last.data) + 1
        version = 0 if is_first else found.last.version + 1
        seat = create(CONTROLLER, encode_controller(self.office.broker_id), ephemeral=True)
        count = create(CONTROLLER_EPOCH, "1") if is_first else put(CONTROLLER_EPOCH, str(epoch), version - 1)
        answer = (yield [(*seat, *count)])[0]
        if answer.is_ok:
            self._win(epoch, version)
        return answer.is_ok

    def _win(self, epoch: Epoch, version: int) -> None:
        office = self.office
        office.context.epoch, office.context.epoch_version = epoch, version
        office.context.is_active, office.controller_id = True, office.broker_id
        office.out += [
            Emit(ControllerRaceWon(controller_epoch=epoch, version=version)),
            Emit(ControllerActivated(epoch=epoch)),
        ]


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


def _epoch_of(data: str) -> Epoch:
    return int(data) if data.isdecimal() and len(data) < 10 else 0
