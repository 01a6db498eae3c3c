"""Built-in clients of a lab: one for each command, driven by whatever carries their frames and fires their timers.

A member of a group is a client whose command goes on until somebody orders it to leave; a load is two clients whose
command goes on until somebody ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from cluster.clients.client import Client
from cluster.clients.group_member import ORDERS, GroupMember
from cluster.clients.load import Load as LoadMachine
from cluster.clients.transactional import Transactional
from cluster.commands.client_jobs import STEP_OF, Outcome, client_name, request_of, summary
from cluster.commands.world import ClientCommand, CommandRefused
from cluster.lab import Answer
from cluster.language.members import MemberOrder, Subscribe
from cluster.language.topics import Load, acks_text
from cluster.language.transactions import TxnBegin, TxnCommand
from cluster.links.frame import Frame
from cluster.model.effects import CancelTimer, Emit, Send, SetTimer
from cluster.model.entry import EventId
from cluster.model.events import ConsumerEnded, Event, FramesHeld, FramesReleased, LinkReset
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId
from cluster.model.inputs import Disconnected, Input, Received, TimerFired
from cluster.model.settings import Settings
from cluster.trace.tracer import Tracer, Writer

CORRELATION_BITS = 32


class Carrier(Protocol):
    """What clients need of their world."""

    def now_ms(self) -> int:
        """A clock that never goes back."""

    def request(self, target: NodeId, frame: Frame) -> None:
        """Send a request to a node."""

    def set_timer(self, name: str, delay_ms: int, jitter_ms: int, cause: EventId | None) -> None:
        """Fire a name later; replaces a timer of that name."""

    def cancel_timer(self, name: str) -> None:
        """Forget it, if it is set."""

    def flush(self) -> None:
        """Let what was sent leave."""


@dataclass(slots=True)
class Job:
    """One command until it is done."""

    number: int
    """From 1."""
    command: ClientCommand
    client: Client | GroupMember | LoadMachine
    node_id: NodeId
    name: str
    done: Callable[[Job], None]
    """Called once the outcome is known."""
    outcome: Outcome = field(default_factory=Outcome)
    """As told so far."""
    held: list[tuple[Input, EventId | None, str, int]] | None = None
    """What came while the client is paused; None while it is not."""

    @property
    def is_endless(self) -> bool:
        """Whether it goes on until it is ended: nobody is told its outcome, so nothing is kept for that."""
        return not isinstance(self.client, Client)

    def answer(self) -> Answer:
        """What became of it."""
        if not self.client.idle:
            return Answer(False, f"the run ends before {self.name} has its answer")
        return summary(self.command, self.outcome)


def is_awaited(command: ClientCommand) -> bool:
    """Whether a command is done only when its client has ended."""
    return bool(getattr(command, "wait", not isinstance(command, Subscribe | Load)))


class Clients:
    """All clients of a lab; they share its connections."""

    def __init__(
        self,
        brokers: tuple[NodeId, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        trace: Writer,
        carrier: Carrier,
        worked_before: int = 0,
    ) -> None:
        """`worked_before`: clients that the run has seen; numbers go on from there, so that each name means one."""
        self._brokers, self._controllers, self._settings = brokers, controllers, settings
        self._tracer = Tracer(trace)
        self._carrier = carrier
        self._jobs: dict[int, Job] = {}
        self._producers: dict[str, Transactional] = {}
        self._numbers = count(worked_before + 1)
        self._perform: dict[type, Callable[[Job, Any], None]] = {
            Emit: self._emit,
            Send: self._send,
            SetTimer: self._set_timer,
            CancelTimer: self._cancel_timer,
        }

    def tell_of_links(self, event: Event, trigger: str) -> None:
        """Which of their messages wait, and until when. That connections come and go says nothing of clients."""
        if isinstance(event, FramesHeld | FramesReleased) or isinstance(event, LinkReset) and event.held_count:
            self._tracer.emit_beside(event, trigger)

    def begin(self, command: ClientCommand, cause: EventId | None, done: Callable[[Job], None]) -> Job:
        """Start a command; done is called, maybe at once, when its outcome is known."""
        number = next(self._numbers)
        name = client_name(command, number)
        node_id = FIRST_CLIENT_ID + number
        first_correlation = number << CORRELATION_BITS
        request = request_of(command)
        client: Client | GroupMember | LoadMachine
        if isinstance(command, Load):
            client = LoadMachine(
                number, node_id, self._brokers, self._controllers, self._settings, first_correlation=first_correlation
            )
        elif isinstance(command, Subscribe):
            if self._member(name) is not None:
                raise CommandRefused(f"{name} is at work already")
            client = GroupMember(
                name, node_id, self._brokers, self._settings, request, first_correlation=first_correlation
            )
        else:
            client = Client(
                name, node_id, self._brokers, self._controllers, self._settings, first_correlation=first_correlation,
                transaction=self._producer(command) if isinstance(command, TxnCommand) else None,
            )  # fmt: skip
        job = self._jobs[number] = Job(number, command, client, node_id, name, done)
        self._give(job, request, cause, f"command to {name}")
        return job

    def _producer(self, command: TxnCommand) -> Transactional:
        """The producer of a step, made when it begins. CommandRefused when the step makes no sense now."""
        name = command.producer
        producer = self._producers.get(name)
        if producer is None:
            if not isinstance(command, TxnBegin):
                raise CommandRefused(f"there is no producer {name}; txn begin {name} comes first")
            producer = self._producers[name] = Transactional(
                client_id=name,
                transactional_id=command.transactional_id or name,
                version=command.version,
                timeout_ms=command.timeout_ms,
            )
        if any(job.name == name for job in self._jobs.values()):
            raise CommandRefused(f"{name} is at work already")
        why = producer.refusal(STEP_OF[type(command)])
        if why:
            raise CommandRefused(why)
        return producer

    def load(self, command: Load, cause: EventId | None) -> Answer:
        """Have a producer and a consumer go to work, go on at another rate, or end."""
        working = [(job, job.client) for job in self._jobs.values() if isinstance(job.client, LoadMachine)]
        tp, ending = command.topic_partition, Load(0)
        for job, load in working:
            is_other = command.rate_per_s and load.topic_partition != tp
            self._give(job, request_of(ending if is_other else command), cause, f"command to {job.name}")
        if not command.rate_per_s:
            return Answer(True, "the load ends" if working else "there was no load")
        if all(load.topic_partition != tp for _, load in working):
            self.begin(command, cause, lambda _: None)
        return Answer(True, f"{command.rate_per_s} records/s to {tp}, acks={acks_text(command.acks)}, and a consumer")

    def order(self, command: MemberOrder, cause: EventId | None) -> Answer:
        """Have a member of a group do something, or do something to it."""
        job = self._member(command.member)
        if job is None or not isinstance(job.client, GroupMember):
            at_work = ", ".join(sorted(item.name for item in self._members())) or "nobody"
            return Answer(False, f"no member {command.member} is at work; there is {at_work}")
        if command.order == "kill":
            self._kill(job, job.client, cause)
        elif command.order == "pause":
            if job.held is not None:
                return Answer(False, f"{job.name} is paused already")
            job.held = []
        elif command.order == "resume":
            if job.held is None:
                return Answer(False, f"{job.name} is not paused")
            held, job.held = job.held, None
            for waiting in held:
                self._give(job, *waiting)
        elif command.order in ORDERS:
            self._give(job, request_of(command), cause, f"command to {job.name}")
            if job.held is not None:
                return Answer(True, f"{job.name}: {command.order}, once it goes on")
        return Answer(True, f"{job.name}: {command.order}")

    def _members(self) -> list[Job]:
        return [job for job in self._jobs.values() if isinstance(job.client, GroupMember)]

    def _member(self, name: str) -> Job | None:
        return next((job for job in self._members() if job.name == name), None)

    def _kill(self, job: Job, member: GroupMember, cause: EventId | None) -> None:
        """It is gone without a word to its group."""
        del self._jobs[job.number]
        self._tracer.begin(cause, "command to kill")
        event = ConsumerEnded(client_id=job.name, group=member.group, member_id=member.member_id, how="killed")
        self._tracer.emit(event)
        job.done(job)

    def on_frame(self, frame: Frame) -> None:
        """An answer came in."""
        job = self._jobs.get(frame.correlation >> CORRELATION_BITS)
        if job is not None:
            sender, message = frame.sender, frame.message
            cause = frame.cause
            if cause is not None and type(cause) is not EventId:  # it came over a wire
                cause = EventId(*cause)
            received = Received(sender=sender, correlation=frame.correlation, message=message)
            self._give(job, received, cause, f"{type(message).__name__} from {sender}", frame.lamport)

    def on_lost(self, peer: NodeId) -> None:
        """A connection to that node is gone; who waits for nothing from it need not know."""
        for job in [job for job in self._jobs.values() if job.client.waits_for(peer)]:
            self._give(job, Disconnected(peer=peer), None, f"connection to {peer} lost")

    def on_timer(self, name: str, cause: EventId | None) -> None:
        """A timer that was set ran out."""
        number, _, own_name = name.partition(":")
        job = self._jobs.get(int(number))
        if job is not None:
            self._give(job, TimerFired(name=own_name), cause, f"timer {own_name}")

    def close(self) -> None:
        """Commands that still wait are told that nothing will come."""
        jobs, self._jobs = self._jobs, {}
        for job in jobs.values():
            job.done(job)

    def _give(self, job: Job, happened: Input, cause: EventId | None, trigger: str, lamport: int = 0) -> None:
        if job.number not in self._jobs:
            return
        if job.held is not None:
            job.held.append((happened, cause, trigger, lamport))
            return
        carrier, client, perform = self._carrier, job.client, self._perform
        self._tracer.begin(cause, trigger, lamport)
        for effect in client.handle(happened, carrier.now_ms()):
            perform[type(effect)](job, effect)
        carrier.flush()
        if client.idle:
            del self._jobs[job.number]
            job.done(job)

    def _emit(self, job: Job, effect: Emit) -> None:
        self._tracer.emit(effect.event, effect.decision)
        if not job.is_endless:
            job.outcome.note(effect.event)

    def _send(self, job: Job, effect: Send) -> None:
        tracer = self._tracer
        self._carrier.request(
            effect.target, Frame(job.node_id, effect.correlation, effect.message, tracer.cause, tracer.lamport)
        )

    def _set_timer(self, job: Job, effect: SetTimer) -> None:
        name = f"{job.number}:{effect.name}"
        self._carrier.set_timer(name, effect.delay_ms, effect.jitter_ms, self._tracer.cause)

    def _cancel_timer(self, job: Job, effect: CancelTimer) -> None:
        self._carrier.cancel_timer(f"{job.number}:{effect.name}")
