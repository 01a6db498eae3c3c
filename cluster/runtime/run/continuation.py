"""How a run that is over goes on in the same folder: what its trace left unsaid, and what the next lab counts on from.

The lab that died may not have told how its nodes ended, which faults were still in force, and what clients waited for.
All of it is over when nobody of the run lives; it is told in files of its own, at the instant of the newest event.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic_ns, time_ns

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.model.identifiers import FIRST_CLIENT_ID, LAB_ID, NodeId
from cluster.ordinary_file import read_ordinary
from cluster.picture.cluster_state import ClusterState
from cluster.picture.parts import ALIVE
from cluster.trace.entry import encode_entry
from cluster.trace.reader import TraceStream
from cluster.trace.writer import EntryFile

FILE = "continuation.json"
FILE_BYTES_MAX = 1 << 20
GAP_NS = 1_000_000_000
"""What is left of the time in which the run was over, on the run's own clock: enough to be seen on a timeline."""
NO_ANSWER = -1
KILLED = -9
TRIGGER = "resume"
TRACE_NAME = re.compile(r"([0-9]{1,9})-([0-9]{1,9})\.trace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """What a lab counts on from. The defaults are those of a run that begins."""

    starts: dict[NodeId, int] = field(default_factory=dict)
    """How often each node was started, the lab (0) and its clients (1001) among them."""
    fault_count: int = 0
    client_count: int = 0
    """Built-in clients that worked."""
    away_ms: int = -1
    """Wall time between the newest event and the resumption; -1 for a run that begins."""
    was_ended: bool = False
    """Whether the end of the run was told."""

    @property
    def is_resumption(self) -> bool:
        """Whether the run was there before."""
        return self.away_ms >= 0


class PostMortem:
    """Folds a trace to what was left of its run."""

    def __init__(self) -> None:
        self.state = ClusterState()
        self.newest: Entry | None = None
        self._starts: dict[NodeId, int] = {}
        self._faults: dict[int, ev.FaultInjected] = {}
        self._fault_count = self._client_count = 0
        self._members: dict[str, tuple[str, str]] = {}

    def apply(self, entry: Entry) -> None:
        """Take in the next event."""
        self.state.apply(entry)
        self.newest = entry
        self.note_start(entry.node, entry.incarnation)
        match entry.event:
            case ev.RunStarted() | ev.RunEnded() | ev.RunResumed():
                return
            case ev.ProcessStarted(node_id=node, incarnation_number=number):
                self.note_start(node, number)
            case ev.FaultInjected(fault_id=number) as injected:
                self._faults[number] = injected
                self._fault_count = max(self._fault_count, number)
            case ev.FaultReverted(fault_id=number):
                self._faults.pop(number, None)
            case ev.CommandRejected():
                applied = self.state.faults
                self._faults = {number: fault for number, fault in self._faults.items() if number in applied}
            case ev.OperationInvoked(client_id=name) if entry.node == FIRST_CLIENT_ID:
                number_text = name.rpartition("-")[2]
                self._client_count = max(self._client_count, int(number_text) if number_text.isdecimal() else 0)
            case ev.ConsumerAssigned(client_id=name, group=group, member_id=member):
                self._client_count += name not in self._members
                self._members[name] = group, member
            case ev.ConsumerEnded(client_id=name):
                self._members.pop(name, None)
            case _:
                pass

    def note_start(self, node: NodeId, number: int) -> None:
        """That the node was started for the time that has this number, counted from 0."""
        self._starts[node] = max(self._starts.get(node, 0), number + 1)

    def unsaid(self) -> tuple[list[Event], list[Event]]:
        """(of the lab, of its clients): what is over and was never told so."""
        lab: list[Event] = [
            ev.ProcessExited(node_id=node.node_id, incarnation_number=node.incarnation, exit_code=KILLED, expected=True)
            for node in self.state.nodes.values()
            if node.process in ALIVE
        ]
        lab += [
            ev.FaultReverted(**{name: getattr(fault, name) for name in ev.FaultReverted.__struct_fields__})
            for _, fault in sorted(self._faults.items())
        ]
        clients: list[Event] = [
            ev.ConsumerEnded(client_id=name, group=group, member_id=member, how="killed")
            for name, (group, member) in self._members.items()
        ]
        for client in self.state.clients.values():
            for number, (function, where) in client.open.items():
                clients.append(
                    ev.OperationUnknown(
                        client_id=client.client_id,
                        operation_id=number,
                        function=function,
                        topic=where.topic,
                        partition=where.partition,
                        error=NO_ANSWER,
                    )
                )
        return lab, clients

    def write_unsaid(self, folder: Path) -> None:
        """Tell it, in new files of the trace. OSError or StorageFailed when the disk refuses."""
        assert self.newest is not None, "a trace without events is refused before"
        for node, events in zip((LAB_ID, FIRST_CLIENT_ID), self.unsaid(), strict=True):
            if not events:
                continue
            number = self._starts.get(node, 0)
            file = EntryFile(folder / "trace" / f"{node}-{number}.trace")
            for seq, event in enumerate(events):
                when = (self.newest.t_ns + 1, time_ns(), 0)
                file.waiting.append(
                    encode_entry(Entry(self.newest.run, node, number, seq, *when, None, TRIGGER, None, event))
                )
            file.close()
            self.note_start(node, number)

    def continuation(self) -> Continuation:
        """What the next lab counts on from."""
        assert self.newest is not None, "a trace without events is refused before"
        return Continuation(
            starts=dict(self._starts),
            fault_count=self._fault_count,
            client_count=self._client_count,
            away_ms=max(0, (time_ns() - self.newest.wall_ns) // 1_000_000),
            was_ended=self.state.run_ended,
        )

    @property
    def shift_ns(self) -> int:
        """From the machine's clock to the run's, when the run goes on now."""
        assert self.newest is not None, "a trace without events is refused before"
        return self.newest.t_ns + GAP_NS - monotonic_ns()


def post_mortem(folder: Path) -> PostMortem:
    """What the whole trace says. TraceError when it cannot be trusted, OSError when it cannot be read."""
    continuation = PostMortem()
    for entry in TraceStream(folder / "trace"):
        continuation.apply(entry)
    for path in (folder / "trace").glob("*.trace"):
        if name := TRACE_NAME.fullmatch(path.name):  # whoever never said a word has a file, too
            continuation.note_start(int(name[1]), int(name[2]))
    return continuation


def write_continuation(folder: Path, continuation: Continuation) -> None:
    """For the lab that is about to start."""
    half = folder / f".{FILE}.{os.getpid()}"
    half.write_text(json.dumps(asdict(continuation)), "utf-8")
    half.replace(folder / FILE)  # a link there, in a folder from elsewhere, is not written through


def read_continuation(folder: Path) -> Continuation:
    """What the lab of this folder counts on from; the defaults when nobody wrote anything. ValueError for nonsense."""
    try:
        plain = json.loads(read_ordinary(folder / FILE, FILE_BYTES_MAX))
    except FileNotFoundError:
        return Continuation()
    starts = {int(node): int(count) for node, count in plain.pop("starts").items()}
    return Continuation(starts=starts, **plain)
