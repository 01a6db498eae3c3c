"""The same once more, but for one thing: the commands of a run played again in a simulated world with a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.lab import LEARNER
from cluster.language.topics import acks_text
from cluster.model.entry import Entry
from cluster.model.events import (
    FaultApplied,
    FaultInjected,
    FaultReverted,
    LeaderElected,
    LoadEnded,
    LoadStarted,
    OperationInvoked,
    PartitionDecided,
    ProcessStarted,
    TopicCreated,
)
from cluster.model.identifiers import INTERNAL_TOPICS, NodeId, TopicPartition
from cluster.runtime.run.folder import RunError, read_facts
from cluster.simulation.lab.journal import FILE, Journal, JournalError, Outside
from cluster.simulation.lab.stepper import Stepper
from cluster.simulation.world.cluster import WORLD
from cluster.simulation.world.kernel import START_NS
from cluster.trace.reader import TraceError, TraceStream
from workbench.runs.launch import launch_simulation
from workbench.session.branch import BranchError, past_of_recording
from workbench.session.changes import Changes, WhatIfError
from workbench.session.deeds import HEAL, Deed, edited
from workbench.session.story.deeds import ENDING, TRAP
from workbench.support.platform import run_to_end

LONGEST_NS = 600_000_000_000
"""Of a longer run only so much is played again."""
SLICE_NS = 250_000_000


@dataclass(frozen=True, slots=True)
class Play:
    """All that is needed to play a run again."""

    spec: ClusterSpec
    deeds: tuple[Deed, ...]
    until_ns: int
    """Since the beginning."""
    is_real: bool
    """It was of processes: the second world is simulated all the same."""


def play_of(folder: Path, length_ns: int) -> Play:
    """What a run needs to be played again; its trace is read. WhatIfError when it cannot be."""
    until_ns, entries = min(length_ns, LONGEST_NS), TraceStream(folder / "trace")
    try:
        facts = read_facts(folder)
        if facts.world == WORLD:
            past = past_of_recording(folder)
            deeds_again = deeds_of_journal(past.journal, entries)
            return Play(past.spec, tuple(deeds_again), until_ns, is_real=False)
        deeds, leader = deeds_of_trace(entries)
    except (RunError, BranchError, JournalError, TraceError, OSError, TypeError, ValueError) as error:
        raise WhatIfError(f"this run cannot be played again: {error}") from error
    given = (f"leader {leader}",) if leader and not facts.spec.combined else ()
    return Play(replace(facts.spec, given=given), tuple(deeds), until_ns, is_real=True)


def deeds_of_journal(journal: Iterable[Outside], entries: Iterable[Entry]) -> list[Deed]:
    """Every command as it was sent."""
    injected = (entry.event for entry in entries)
    commands = {event.fault_id: event.command for event in injected if isinstance(event, FaultInjected)}
    deeds = []
    for item in journal:
        if item.command:
            healed = HEAL.fullmatch(item.command)
            heals = commands.get(int(healed[1]), "") if healed else ""
            deeds.append(Deed(item.now_ns - START_NS, item.command, item.by or LEARNER, heals))
    return deeds


def deeds_of_trace(entries: Iterable[Entry]) -> tuple[list[Deed], NodeId]:
    """What the trace of processes tells of it, and who led the quorum first.

    Faults, starts, topics, built-in producers and the workload; not what Kafka clients and groups did.
    """
    teller = _Told()
    for entry in entries:
        teller.take(entry)
    return teller.deeds, teller.leader


class _Told:
    """Turns events back into the commands that led to them."""

    def __init__(self) -> None:
        self.deeds: list[Deed] = []
        self.leader: NodeId = 0
        self._start_ns = 0
        self._faults: dict[int, str] = {}
        self._created: dict[str, tuple[int, TopicCreated]] = {}
        """Of each topic the place of its deed, until it is known where its replicas went."""
        self._loads: set[str] = set()

    def _add(self, entry: Entry, command: str, heals: str = "") -> None:
        self.deeds.append(Deed(entry.t_ns - self._start_ns, command, heals=heals))

    def take(self, entry: Entry) -> None:
        self._start_ns = self._start_ns or entry.t_ns
        match event := entry.event:
            case LeaderElected():
                self.leader = self.leader or entry.node
            case FaultInjected():
                self._faults[event.fault_id] = event.command
            case FaultApplied() if event.fault_id in self._faults:
                self._add(entry, self._faults[event.fault_id])
            case FaultReverted() if event.fault_id in self._faults and event.kind not in (*ENDING, TRAP):
                self._add(entry, "", self._faults[event.fault_id])
            case ProcessStarted() if event.incarnation_number:
                self._add(entry, f"start {event.node_id}")
            case TopicCreated() if event.topic not in INTERNAL_TOPICS:
                self._created[event.topic] = len(self.deeds), event
                self._add(entry, "")
            case PartitionDecided() if event.topic in self._created:
                self._place(event)
            case OperationInvoked(function="produce") if event.client_id not in self._loads:
                tp = TopicPartition(event.topic, event.partition)
                self._add(entry, f"produce {tp} 1 acks={acks_text(event.acks)} wait=no")
            case LoadStarted():
                self._loads.update((event.producer_id, event.consumer_id))
                tp = TopicPartition(event.topic, event.partition)
                self._add(entry, f"load {event.rate_per_s} acks={acks_text(event.acks)} topic={tp}")
            case LoadEnded():
                self._add(entry, "load off")
            case _:
                pass

    def _place(self, event: PartitionDecided) -> None:
        """One partition goes where it went; of several the controller chooses again."""
        place, topic = self._created.pop(event.topic)
        where = f"assign={','.join(map(str, event.replicas))}"
        if topic.partitions > 1:
            where = f"partitions={topic.partitions} replicas={len(event.replicas)}"
        command = f"topic {topic.topic} {where} min-isr={topic.min_insync_replicas} wait=no"
        self.deeds[place] = self.deeds[place]._replace(command=command)


def play_again(home: Path, play: Play, changes: Changes, tell: Callable[[float], bool] = lambda _share: True) -> Path:
    """Play it with the changes, as fast as it goes; the folder of the new run. OSError when the disk refuses.

    Args:
        tell: hears what share is done, now and then; false ends it there.
    """
    lab = launch_simulation(home, changes.cluster(play.spec))
    stepper = Stepper(lab, Journal(lab.run_folder / FILE))
    numbers: dict[str, int] = {}
    try:
        for deed in (*play.deeds, Deed(play.until_ns, "")):
            if not _pass_to(stepper, deed.at_ns, play.until_ns, tell):
                break
            for entry in lab.poll():
                if isinstance(entry.event, FaultInjected):
                    numbers[entry.event.command] = entry.event.fault_id
            if command := edited(deed, changes, numbers):
                stepper.begin(command, deed.by)
    finally:
        stepper.drop()
        run_to_end(lab.close())
    return lab.run_folder


def _pass_to(stepper: Stepper, at_ns: int, until_ns: int, tell: Callable[[float], bool]) -> bool:
    """Let time pass in small pieces, so that whoever waits can end it; whether it is to go on."""
    now_ns = stepper.lab.cluster.kernel.now_ns - START_NS
    while now_ns < min(at_ns, until_ns):
        now_ns = min(at_ns, until_ns, now_ns + SLICE_NS)
        stepper.pass_to(START_NS + now_ns)
        if not tell(now_ns / max(1, until_ns)):
            return False
    return True
