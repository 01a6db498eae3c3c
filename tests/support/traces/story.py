"""A synthetic run: election, writes, a killed leader, a split vote, a truncation, an ISR that shrinks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.ruling import Decision
from cluster.trace.entry import encode_entry
from tests.support.fault_events import fault_fields
from workbench.session.views.cluster import ClusterView

VOTERS = (1, 2, 3, 4, 5)
HOSTILE = (
    "\x1b[31mred",
    "\x1b]52;c;aGk=\x07",
    "[@click=app.quit]x[/]",
    "\u202eevil",
    "a\r\nb",
    "\x9b2J",
    "e" + "\u0301" * 30,
)


class Story:
    """Writes entries in order of time."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.now_ms = 1000
        self._seq: dict[int, int] = {}
        self._led_by = 0
        """Who leads the partition."""
        self._leader = self._led_by = -1

    def say(
        self, node: int, event: Any, wait_ms: int = 1, cause: EventId | None = None,
        decision: Decision | None = None, trigger: str = "",
    ) -> EventId:  # fmt: skip
        self.now_ms += wait_ms
        seq = self._seq.get(node, 0)
        self._seq[node] = seq + 1
        entry = Entry("story", node, 0, seq, self.now_ms * 1_000_000, 0, 0, cause, trigger, decision, event)
        self.entries.append(entry)
        return entry.id

    def begin(self, title: str = "story") -> None:
        self.say(0, ev.RunStarted(config="{}", world="simulated", title=title))
        for node in VOTERS:
            started = ev.ProcessStarted(node_id=node, roles=("controller", "broker"), incarnation_number=0, pid=4000)
            self.say(0, started)
        for node in VOTERS:
            self.say(0, ev.ProcessReady(node_id=node, port=19092 + node), 20)
            booted = ev.QuorumBooted(epoch=0, voted_for=-1, leader_id=-1, log_end_offset=0, last_epoch=0, voters=VOTERS)
            self.say(node, booted)

    def ask(self, node: int, epoch: int, end: int = 0, last: int = 0, cause: EventId | None = None) -> EventId:
        self.say(node, ev.RoleChanged(role="candidate", epoch=epoch, leader_id=-1, voted_for=node, why="no leader"),
                 trigger="timer quorum.election")  # fmt: skip
        return self.say(
            node,
            ev.ElectionStarted(epoch=epoch, pre_vote=False, last_epoch=last, last_offset=end, voters=VOTERS),
            cause=cause,
            trigger="timer quorum.election",
        )

    def grant(self, voter: int, candidate: int, epoch: int, count: int, cause: EventId | None = None) -> EventId:
        granted = ev.VoteGranted(epoch=epoch, candidate_id=candidate, pre_vote=False, candidate_last_epoch=1,
                                 candidate_last_offset=12, last_epoch=1, last_offset=12)  # fmt: skip
        decision = Decision("grant_vote", True, "log is as complete", "KIP-595", {"theirs": "12@e1", "ours": "12@e1"})
        vote = self.say(voter, granted, cause=cause, decision=decision)
        received = ev.VoteReceived(epoch=epoch, voter_id=voter, pre_vote=False, granted=True, granted_count=count,
                                   rejected_count=0, needed=3)  # fmt: skip
        return self.say(candidate, received, cause=vote)

    def refuse(self, voter: int, candidate: int, epoch: int, why: str) -> EventId:
        refused = ev.VoteRejected(epoch=epoch, candidate_id=candidate, pre_vote=False, candidate_last_epoch=1,
                                  candidate_last_offset=12, last_epoch=1, last_offset=12, why=why)  # fmt: skip
        return self.say(voter, refused)

    def win(self, node: int, epoch: int, start: int, votes: tuple[int, ...], cause: EventId | None = None) -> None:
        self._leader = node
        self.say(node, ev.LeaderElected(epoch=epoch, epoch_start_offset=start, votes=votes), cause=cause)
        self.say(node, ev.RoleChanged(role="leader", epoch=epoch, leader_id=node, voted_for=node, why="won"))
        self.say(node, ev.ControllerActivated(epoch=epoch))

    def follow(self, node: int, epoch: int, leader: int) -> None:
        self.say(node, ev.RoleChanged(role="follower", epoch=epoch, leader_id=leader, voted_for=-1, why="new leader"))

    def _role(self, node: int) -> str:
        return "leader" if node == self._leader else "follower"

    def metadata(self, nodes: tuple[int, ...], base: int, end: int, epoch: int, commit: bool = True) -> None:
        for node in nodes:
            self.say(node, ev.MetadataAppended(base_offset=base, end_offset=end, epochs=((epoch, base),),
                                               kinds=("NoOpRecord",), role=self._role(node)))  # fmt: skip
            self.say(node, fsynced("__cluster_metadata", end, end))
        for node in nodes if commit else ():
            self.say(node, ev.MetadataHighWatermarkAdvanced(epoch=epoch, high_watermark=end, role=self._role(node),
                                                            log_end_offsets=()))  # fmt: skip

    def partition(
        self, nodes: tuple[int, ...], leader: int, epoch: int, partition_epoch: int, isr: tuple[int, ...]
    ) -> None:
        self._led_by = leader
        for node in nodes:
            self.say(node, ev.PartitionApplied(topic="orders", partition=0, leader=leader, leader_epoch=epoch,
                                               partition_epoch=partition_epoch, isr=isr, elr=(), replicas=(1, 2, 3),
                                               min_insync_replicas=2))  # fmt: skip

    def records(self, node: int, base: int, end: int, epoch: int, durable: int, high_watermark: int) -> None:
        role = "leader" if node == self._led_by else "follower"
        self.say(node, ev.ReplicaAppended(topic="orders", partition=0, base_offset=base, count=end - base,
                                          end_offset=end, leader_epoch=epoch, batches=((base, end - base, epoch, "0"),),
                                          role=role, size_bytes=100))  # fmt: skip
        self.say(node, fsynced("orders", end, durable))
        self.say(node, ev.HighWatermarkAdvanced(topic="orders", partition=0, high_watermark=high_watermark,
                                                leader_epoch=epoch, role=role, log_end_offsets=()))  # fmt: skip


def view_of(told: Story) -> ClusterView:
    """What a screen shows at its end."""
    view = ClusterView()
    for entry in told.entries:
        view.apply(entry)
    return view


def write_run(folder: Path, entries: list[Entry]) -> Path:
    """A run folder with one trace file per writer."""
    (folder / "trace").mkdir(parents=True)
    files: dict[int, bytes] = {}
    for entry in entries:
        files[entry.node] = files.get(entry.node, b"") + encode_entry(entry)
    for node, content in files.items():
        (folder / "trace" / f"{node}-0.trace").write_bytes(content)
    return folder


def fsynced(topic: str, claimed: int, durable: int) -> ev.Fsynced:
    return ev.Fsynced(topic=topic, partition=0, path="x", claimed_bytes=0, durable_bytes=0, claimed_offset=claimed,
                      durable_offset=durable, lied=claimed != durable)  # fmt: skip


def full_story(title: str = "Elections and truncation") -> list[Entry]:
    """Election e1, topic, writes, kill, split vote e2, election e3, truncation on return, ISR back to 3."""
    story = Story()
    story.begin(title)
    asked = story.ask(1, 1)
    story.grant(2, 1, 1, 2, asked)
    last = story.grant(3, 1, 1, 3, asked)
    story.win(1, 1, 0, (1, 2, 3), last)
    for node in (2, 3, 4, 5):
        story.follow(node, 1, 1)
    for node in VOTERS:
        story.say(1, ev.BrokerRegistered(broker_id=node, incarnation_id="x", broker_epoch=node))
        story.say(1, ev.BrokerUnfenced(broker_id=node, broker_epoch=node))
    story.metadata(VOTERS, 0, 9, 1)
    for node in VOTERS:
        story.say(node, ev.BrokerStateChanged(state="running", broker_epoch=node))
    story.say(1, ev.TopicCreated(topic="orders", topic_id=1, partitions=1, min_insync_replicas=2), 400)
    story.partition((1, 2, 3), 1, 0, 0, (1, 2, 3))
    for node in (1, 2, 3):
        story.records(node, 0, 7, 0, 7, 7)
    story.records(1, 7, 10, 0, 7, 7)
    fault = story.say(0, ev.FaultInjected(**fault_fields(1, "Kill", "1"), command="kill 1"), 900,
                      trigger="command kill 1")  # fmt: skip
    story.say(0, ev.FaultApplied(**fault_fields(1, "Kill", "1")), cause=fault)
    gone = story.say(0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True), cause=fault)
    second = story.ask(2, 2, 9, 1, gone)
    fourth = story.ask(4, 2, 9, 1, gone)
    story.grant(3, 2, 2, 2, second)
    story.grant(5, 4, 2, 2, fourth)
    story.refuse(3, 4, 2, "already voted for 2")
    story.refuse(5, 2, 2, "already voted for 4")
    return _after_split(story)


def split_vote_end() -> int:
    """How many entries of the full story lead up to the split vote."""
    entries = full_story()
    refused = [index for index, entry in enumerate(entries) if isinstance(entry.event, ev.VoteRejected)]
    return refused[-1] + 1


def _after_split(story: Story) -> list[Entry]:
    asked = story.ask(3, 3, 9, 1)
    story.grant(2, 3, 3, 2, asked)
    last = story.grant(4, 3, 3, 3, asked)
    story.win(3, 3, 9, (2, 3, 4), last)
    for node in (2, 4, 5):
        story.follow(node, 3, 3)
    story.metadata((2, 3, 4, 5), 9, 12, 3)
    story.say(3, ev.BrokerFenced(broker_id=1, broker_epoch=1, why="session expired"), 700)
    story.partition((2, 3), 2, 1, 1, (2, 3))
    story.say(2, ev.BecameLeader(topic="orders", partition=0, leader_epoch=1, epoch_start_offset=7,
                                 high_watermark=7, isr=(2, 3)))  # fmt: skip
    for node in (2, 3):
        story.records(node, 7, 12, 1, 12, 12)
    story.say(0, ev.ProcessStarted(node_id=1, roles=("controller", "broker"), incarnation_number=1, pid=4010), 800)
    story.say(0, ev.ProcessReady(node_id=1, port=19093), 40)
    story.say(2, ev.ReplicaDiverged(topic="orders", partition=0, replica_id=1, fetch_offset=10, last_fetched_epoch=0,
                                    diverging_epoch=0, diverging_end_offset=7))  # fmt: skip
    story.say(1, ev.ReplicaTruncated(topic="orders", partition=0, end_offset=7, old_end_offset=10, high_watermark=7,
                                     mode="fetch", why="leader's e0 ends at 7"))  # fmt: skip
    story.follow(1, 3, 3)
    return story.entries


def hostile_story(payload: str) -> list[Entry]:
    """Every untrusted field holds the payload."""
    story = Story()
    story.begin(payload)
    story.say(0, ev.FaultInjected(fault_id=9, kind=payload, arguments=payload, command=payload))
    story.say(0, ev.FaultApplied(fault_id=9, kind=payload, arguments=payload))
    story.say(0, ev.PortTaken(node_id=3, port=19094, holder=payload))
    story.say(0, ev.CommandRejected(command=payload, why=payload))
    story.say(1, ev.TopicCreated(topic=payload, topic_id=1, partitions=1, min_insync_replicas=1))
    story.say(1, ev.PartitionApplied(topic=payload, partition=0, leader=1, leader_epoch=0, partition_epoch=0,
                                     isr=(1,), elr=(), replicas=(1,), min_insync_replicas=1))  # fmt: skip
    story.say(2, ev.RoleChanged(role=payload, epoch=1, leader_id=-1, voted_for=-1, why=payload))
    story.say(2, ev.BrokerStateChanged(state=payload, broker_epoch=1))
    story.say(1, ev.ProduceRefused(topic=payload, partition=0, client_id=payload, error=19, acks=-1))
    story.say(1, ev.StorageError(errno=28, what=payload))
    story.say(1001, ev.OperationFailed(client_id=payload, operation_id=1, function=payload, topic=payload,
                                       partition=0, error=7))  # fmt: skip
    return story.entries
