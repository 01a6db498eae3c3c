"""Runs by hand whose clock is set by hand: for invariants that count time."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.fault_events import fault_fields
from tests.support.traces.partitions import ALL, CONTROLLER, Partition
from tests.support.traces.traces import LAB

VOTERS = (101, 102, 103)
SECOND_NS = 1_000_000_000
TIMERS = {
    "quorum_election_timeout_ms": 100,
    "quorum_fetch_timeout_ms": 200,
    "quorum_request_timeout_ms": 200,
    "broker_session_timeout_ms": 800,
    "broker_heartbeat_interval_ms": 200,
    "replica_lag_time_max_ms": 500,
    "request_timeout_ms": 1000,
}


class Timed(Partition):
    """A run whose clock is set by hand."""

    def __init__(self, **settings: object) -> None:
        self.clock_ns = 0
        super().__init__(**(TIMERS | settings))
        for node in VOTERS:
            self.start(node)
        for node in ALL:
            self.start(node, "broker")
        for node in VOTERS:
            self.add(
                node,
                ev.QuorumBooted(epoch=0, voted_for=-1, leader_id=-1, log_end_offset=0, last_epoch=0, voters=VOTERS),
            )
        self.ready(*VOTERS, *ALL)

    def add(self, node: int, event: object, cause: EventId | None = None) -> EventId:
        """Events take the time of the clock."""
        done = super().add(node, event, cause)
        self.entries[-1].t_ns = self.clock_ns
        return done

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.clock_ns += int(seconds * SECOND_NS)

    def ready(self, *nodes: int) -> None:
        """Processes listen."""
        for node in nodes:
            self.add(node, ev.ProcessReady(node_id=node, port=1))

    def role(self, node: int, role: str, epoch: int = 1, leader: int = 101) -> None:
        """A quorum node changes its role."""
        self.add(node, ev.RoleChanged(role=role, epoch=epoch, leader_id=leader, voted_for=-1, why="by hand"))

    def lead_quorum(self, epoch: int = 1) -> None:
        """101 leads and all know it."""
        self.role(101, "leader", epoch)
        self.role(102, "follower", epoch)
        self.role(103, "follower", epoch)
        for node in ALL:
            self.level(node)

    def level(self, broker: int, offset: int = 0) -> None:
        """A broker learns what is committed."""
        self.add(
            broker,
            ev.MetadataHighWatermarkAdvanced(epoch=1, high_watermark=offset, role="observer", log_end_offsets=()),
        )

    def fault(self, number: int, kind: str = "Isolate", arguments: str = "3") -> EventId:
        """A fault is injected."""
        return self.add(LAB, ev.FaultInjected(**fault_fields(number, kind, arguments), command=f"{kind} {arguments}"))

    def heal(self, number: int, kind: str = "Isolate", arguments: str = "3") -> None:
        """And undone."""
        self.add(LAB, ev.FaultReverted(**fault_fields(number, kind, arguments)))

    def wipe_voter(self, node: int = 103) -> None:
        """A voter comes back from a wiped disk without the vote it had given: the quorum may forget."""
        self.add(node, ev.ElectionPersisted(epoch=1, leader_id=-1, voted_for=101, lied=False))
        self.exit(node)
        self.add(LAB, ev.FaultApplied(**fault_fields(1, "Wipe", str(node))))
        self.start(node)
        self.add(
            node, ev.QuorumBooted(epoch=0, voted_for=-1, leader_id=-1, log_end_offset=0, last_epoch=0, voters=VOTERS)
        )
        self.ready(node)
        self.role(node, "follower")

    def delete_topic(self) -> None:
        """The controller deletes orders."""
        self.add(CONTROLLER, ev.TopicDeleted(topic="orders", topic_id=1, partitions=1))

    def end(self) -> None:
        """The run is over."""
        self.add(LAB, ev.RunEnded(clean=True))
