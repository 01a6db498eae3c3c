"""Drives one Controller: commits what it proposes at once, keeps brokers alive, collects answers and events."""

from __future__ import annotations

from typing import Any

from cluster.controller.controller import SESSION_CHECK, Controller
from cluster.controller.image import MetadataImage
from cluster.model.effects import Emit, Propose, Send, SetTimer
from cluster.model.identifiers import TopicPartition
from cluster.model.inputs import Input, Received, TimerFired
from cluster.model.messages import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    CreateTopicRequest,
    ElectLeadersRequest,
    Message,
    ReassignPartitionRequest,
)
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings

CONTROLLER = 101
ORDERS = TopicPartition("orders", 0)


class ControllerDriver:
    """A cluster of one active controller and brokers that say what a test tells them to say."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings(elr=False)
        self.controller = Controller(CONTROLLER, self.settings)
        self.now_ms = 0
        self.next_offset = 1
        self.image = MetadataImage()
        """Committed."""
        self.records: list[Any] = []
        self.emitted: list[Emit] = []
        self.timers: dict[str, int] = {}
        self.epochs: dict[int, int] = {}
        self._incarnations: dict[int, int] = {}
        self._answer: Any = None
        self._perform(self.controller.activate(self.image, 1, self.now_ms, self.next_offset))

    def give(self, happened: Input) -> Any:
        """One input; returns the answer that was sent, if any."""
        self._answer = None
        self._perform(self.controller.handle(happened, self.now_ms, self.next_offset))
        return self._answer

    def ask(self, sender: int, request: Message) -> Any:
        """One request and its answer."""
        return self.give(Received(sender=sender, correlation=7, message=request))

    def register(self, broker: int, *, new: bool = True, clean: bool = True) -> Any:
        """A registration, by default of a new process that stopped in order before."""
        if new:
            self._incarnations[broker] = self._incarnations.get(broker, 0) + 1
        previous = self.epochs.get(broker, -1) if clean else -1
        incarnation_id = f"{broker}-{self._incarnations[broker]}"
        request = BrokerRegistrationRequest(
            broker_id=broker, incarnation_id=incarnation_id, previous_broker_epoch=previous
        )
        answer = self.ask(broker, request)
        if answer.error == 0:
            self.epochs[broker] = answer.broker_epoch
        return answer

    def heartbeat(self, broker: int, *, fence: bool = False, leave: bool = False, offset: int | None = None) -> Any:
        """One heartbeat; by default the broker has read everything."""
        request = BrokerHeartbeatRequest(
            broker_id=broker,
            broker_epoch=self.epochs[broker],
            metadata_offset=self.next_offset - 1 if offset is None else offset,
            want_fence=fence,
            want_shut_down=leave,
        )
        return self.ask(broker, request)

    def join(self, *brokers: int, clean: bool = True) -> None:
        """Register and unfence."""
        for broker in brokers:
            assert self.register(broker, clean=clean).error == 0
            assert not self.heartbeat(broker).is_fenced

    def topic(self, replicas: tuple[int, ...] = (1, 2, 3), minimum: int = 1) -> None:
        """Create orders-0 with these replicas."""
        request = CreateTopicRequest(
            topic="orders",
            partitions=1,
            replication_factor=len(replicas),
            min_insync_replicas=minimum,
            assignments=(replicas,),
        )
        assert self.ask(1001, request).error == 0

    def kill(self, broker: int) -> None:
        """Let a broker fall silent until the controller fences it, while the others go on."""
        limit_ms = self.now_ms + 2 * self.settings.broker_session_timeout_ms
        while broker in self.controller.image.unfenced_brokers():
            assert self.now_ms < limit_ms, "it should have been fenced by now"
            self.pass_check(broker)

    def pass_check(self, *silent: int) -> None:
        """One period of the stale check in which all others are heard."""
        self.now_ms += self.timers[SESSION_CHECK]
        for other in self.controller.image.unfenced_brokers():
            if other not in silent:
                self.heartbeat(other)
        self.give(TimerFired(name=SESSION_CHECK))

    def alter(self, leader: int, *isr: int, **changes: Any) -> Any:
        """A proposal with everything current, but for the named fields."""
        state = self.partition
        fields: dict[str, Any] = {
            "broker_id": leader,
            "broker_epoch": self.epochs[leader],
            "topic": "orders",
            "topic_id": state.topic_id,
            "partition": 0,
            "leader_epoch": state.leader_epoch,
            "partition_epoch": state.partition_epoch,
            "new_isr": tuple((replica, self.epochs.get(replica, -1)) for replica in isr),
        }
        return self.ask(leader, AlterPartitionRequest(**(fields | changes)))

    def elect(self, *, unclean: bool = False) -> int:
        """An asked-for election on orders-0; its error."""
        error: int = self.ask(1001, ElectLeadersRequest(topic="orders", partition=0, unclean=unclean)).error
        return error

    def reassign(self, *replicas: int, may_change_factor: bool = True) -> int:
        """Move orders-0 to these; its error."""
        return self._reassign(replicas, may_change_factor)

    def cancel(self) -> int:
        """End the move of orders-0; its error."""
        return self._reassign(None, may_change_factor=True)

    def _reassign(self, replicas: tuple[int, ...] | None, may_change_factor: bool) -> int:
        request = ReassignPartitionRequest(
            topic="orders", partition=0, replicas=replicas, may_change_factor=may_change_factor
        )
        error: int = self.ask(1001, request).error
        return error

    @property
    def moving(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """(replicas, adding, removing) of orders-0."""
        state = self.partition
        return state.replicas, state.adding_replicas, state.removing_replicas

    @property
    def partition(self) -> PartitionState:
        """State of orders-0."""
        return self.controller.image.partitions[ORDERS]

    @property
    def shown(self) -> tuple[int, int, int, tuple[int, ...]]:
        """(leader, leader epoch, partition epoch, ISR) of orders-0."""
        state = self.partition
        return state.leader, state.leader_epoch, state.partition_epoch, state.isr

    def events(self, kind: type) -> list[Any]:
        """Events of one class, in order."""
        return [emit.event for emit in self.emitted if type(emit.event) is kind]

    def decisions(self, kind: type) -> list[Any]:
        """Decisions that came with events of one class."""
        return [emit.decision for emit in self.emitted if type(emit.event) is kind]

    def _perform(self, effects: list[Any]) -> None:
        proposals = [effect for effect in effects if isinstance(effect, Propose)]
        assert len(proposals) <= 1, "one input makes at most one batch"
        for effect in effects:
            match effect:
                case Emit():
                    assert self._answer is None, "events come before the answer"
                    self.emitted.append(effect)
                case SetTimer(name=name, delay_ms=delay_ms):
                    self.timers[name] = delay_ms
                case Send(message=message):
                    self._answer = message
                case Propose(records=records, then=then):
                    self._commit(records)
                    self._perform(list(then))

    def _commit(self, records: tuple[Any, ...]) -> None:
        assert records, "an empty batch is not proposed"
        for record in records:
            self.image.apply(record, self.next_offset)
            self.records.append(record)
            self.next_offset += 1
        ours = self.controller.image
        assert (self.image.brokers, self.image.partitions) == (ours.brokers, ours.partitions)


def three_brokers(settings: Settings | None = None, minimum: int = 1) -> ControllerDriver:
    """Brokers 1, 2, 3 in service and orders-0 on all of them, led by 1."""
    driver = ControllerDriver(settings)
    driver.join(1, 2, 3)
    driver.topic(minimum=minimum)
    assert driver.shown == (1, 0, 0, (1, 2, 3))
    return driver
