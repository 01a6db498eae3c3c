"""The quorum of a run as labelled steps of the specification of KIP-996: elections with pre-votes, and fetches.

A step of a node is one step of the specification, or some: an answer that carried records is a fetch that is sent,
answered and handled. Answers that moved nothing leave no event and are put in where the leader counted them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Epoch, NodeId, Offset
from workbench.specification.causal_order import Recording, asker, settings_of
from workbench.specification.not_judged import NotJudged

ADDED = {
    "batch-tail": "one fetch brings a batch; the specification copies one record at a time",
    "lose": "pre-votes that never came; the specification loses messages by broken links alone",
    "lost-tail": "what was not flushed is lost; the specification's guarantees do not cover it",
    "late-vote": "an answer to pre-votes came after their round; the specification waits for all answers",
    "late-fetch": "a fetch is answered to a voter that follows no more, and names a newer epoch",
    "begin-answer": "an answer to an announcement names a newer epoch; the specification does not answer announcements",
    "learn-leader": "a leader is learned from another node's answer",
}
"""Actions that were added to the specification, and why."""
_VOTES = (ev.VoteGranted, ev.VoteRejected)
_QUORUM = (
    ev.QuorumBooted, ev.RoleChanged, ev.ElectionStarted, *_VOTES, ev.VoteReceived, ev.LeaderElected,
    ev.MetadataAppended, ev.MetadataTruncated, ev.MetadataDiverged, ev.MetadataHighWatermarkAdvanced,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Voter:
    """What a voter is and has."""

    role: str
    epoch: Epoch
    leader: NodeId
    voted: NodeId
    """0 for nobody."""
    log: tuple[Epoch, ...]
    """Leader epoch of each record."""
    high_watermark: Offset = 0


@dataclass(frozen=True, slots=True)
class QuorumState:
    """All that is seen after one step."""

    label: str
    node: NodeId
    peer: NodeId
    """Who sent what was handled; 0 for nobody."""
    nodes: tuple[NodeId, ...]
    voters: tuple[Voter, ...]
    """Of nodes, in their order."""
    entry: Entry | None
    said: str = ""


def quorum_line(recording: Recording) -> tuple[list[QuorumState], tuple[NodeId, ...]]:
    """The line, and who votes. NotJudged."""
    settings = settings_of(recording.entries) or {}
    if settings.get("control") == "zookeeper":
        raise NotJudged("ZooKeeper keeps the metadata here: there is no quorum that votes")
    boots = [entry.event for entry in recording.entries if isinstance(entry.event, ev.QuorumBooted)]
    if not boots:
        raise NotJudged("the run has no quorum")
    if any(isinstance(entry.event, ev.VotersChanged) for entry in recording.entries):
        raise NotJudged("the voters may change (KIP-853), which this specification does not know")
    voters = boots[0].voters
    if any(boot.voters != voters for boot in boots):
        raise NotJudged("the voters change, which this specification does not know")
    if settings.get("pre_vote") is False:
        raise NotJudged("pre-votes are off, and this specification has no election without")
    line = _Line(voters)
    for group in _groups(recording, voters):
        line.take(recording, group)
    if not line.states:
        raise NotJudged("the quorum never began")
    return line.states, voters


def _groups(recording: Recording, voters: Sequence[NodeId]) -> list[list[Entry]]:
    """What each voter did in one step of its, in the order in which it counts: a fetch where its leader answered."""
    groups: dict[EventId, list[Entry]] = {}
    own: dict[NodeId, list[Entry]] = {}
    for entry in recording.entries:
        event = entry.event
        own.setdefault(entry.node, []).append(entry)
        is_log = isinstance(event, ev.LogRecovered) and event.topic == METADATA.topic
        if entry.node in voters and (is_log or isinstance(event, _QUORUM)):
            alone = is_log or isinstance(event, ev.QuorumBooted)
            groups.setdefault(entry.id if alone else recording.handler(entry).id, []).append(entry)
    placed = []
    for name, group in groups.items():
        first = recording.get(name)
        assert first is not None
        at = group[-1] if first.trigger.startswith("Vote") else group[0]
        place, tie = recording.place(at), 0
        sender = asker(first, "FetchResponse")
        if sender is not None and sender in voters:
            now = recording.place(first)
            before = [one for one in own[sender] if one.lamport < first.lamport and recording.place(one) < now]
            mine = [one for one in own[first.node] if recording.place(one) < now and isinstance(one.event, _QUORUM)]
            if before:
                place, tie = max([recording.place(before[-1]), *(recording.place(one) for one in mine[-1:])]), 1
        placed.append((place, tie, recording.place(group[0]), name, group))
    return [group for *_, group in sorted(placed, key=lambda one: one[:4])]


class _Line:
    def __init__(self, voters: tuple[NodeId, ...]) -> None:
        self._nodes = voters
        self._now: dict[NodeId, Voter] = {}
        self._opened: dict[NodeId, tuple[Epoch, ...]] = {}
        self._answer: dict[NodeId, Epoch | None] = {}
        """What the answer on its way to each brings: an epoch of a record, or None for nothing."""
        self._counted: dict[tuple[NodeId, Epoch, NodeId], Offset] = {}
        """(leader, epoch, voter): the log end that its last fetch named."""
        self._given_up: set[NodeId] = set()
        """Whose round of pre-votes ended without all answers, and who has asked for none since."""
        self.states: list[QuorumState] = []

    def take(self, recording: Recording, group: list[Entry]) -> None:
        """One step of a voter."""
        first, node = recording.handler(group[0]), group[0].node
        event = group[0].event
        if isinstance(event, ev.LogRecovered):
            self._opened[node] = tuple(epoch for _, count, epoch, _ in event.batches for _ in range(count))
            return
        if isinstance(event, ev.QuorumBooted):
            self._boot(group[0], event)
            group = group[1:]
        if not group:
            return
        roles = [one for one in group if isinstance(one.event, ev.RoleChanged)]
        if not self.states and (first.trigger == "start" or len(self._now) < len(self._nodes)):
            for one in roles:
                self._become(one)
            return
        if not self.states:
            self._push("init", node)
        peer = int(first.trigger.rpartition(" from ")[2]) if " from " in first.trigger else 0
        self._role_steps(first.trigger, group, roles, peer)
        for one in group:
            self._log_step(one, peer)

    def _boot(self, entry: Entry, event: ev.QuorumBooted) -> None:
        node, log, was = entry.node, self._opened.get(entry.node, ()), self._now.get(entry.node)
        if was is None:
            voted = max(event.voted_for, 0)
            self._now[node] = Voter("unattached", event.epoch, 0, voted, log)
            return
        if event.epoch < was.epoch:
            raise NotJudged(f"voter {node} came back without its epoch: the specification's disks forget nothing")
        self._answer.pop(node, None)
        role = {"leader": "resigned", "prospective": "unattached"}.get(was.role, was.role)
        is_shorter = len(log) < len(was.log)
        self._now[node] = replace(was, role=role, high_watermark=0, log=log if is_shorter else was.log)
        self._push("lost-tail" if is_shorter else "restart", node, 0, entry)

    def _become(self, entry: Entry) -> None:
        event = entry.event
        assert isinstance(event, ev.RoleChanged)
        self._now[entry.node] = replace(
            self._now[entry.node], role=event.role, epoch=event.epoch, leader=max(event.leader_id, 0),
            voted=max(event.voted_for, 0),
        )  # fmt: skip

    def _push(self, label: str, node: NodeId, peer: NodeId = 0, entry: Entry | None = None, said: str = "") -> None:
        voters = tuple(self._now[each] for each in self._nodes)
        self.states.append(QuorumState(label, node, peer, self._nodes, voters, entry, said))

    def _role_steps(self, trigger: str, group: list[Entry], roles: list[Entry], peer: NodeId) -> None:
        node = group[0].node
        if trigger.startswith("VoteRequest"):
            for one in roles[-1:]:
                self._become(one)
            if any(isinstance(one.event, _VOTES) for one in group):
                self._push("vote-request", node, peer, group[-1])
        elif trigger.startswith("VoteResponse"):
            self._vote_response(group, roles, peer)
        elif trigger.startswith("BeginQuorum") and roles:
            self._become(roles[-1])
            self._answer.pop(node, None)
            label = "begin-quorum" if trigger.startswith("BeginQuorumEpochRequest") else "begin-answer"
            self._push(label, node, peer, roles[-1])
        elif trigger.startswith("timer"):
            for one in roles:
                self._timer(one)
        elif trigger == "start":
            for one in roles[-1:]:
                was = self._now[node].role
                self._become(one)
                if self._now[node].role != was:
                    self._push("boot-role", node, 0, one)
        elif roles and self._role_of(roles[-1]) == "resigned":
            self._become(roles[-1])
            self._push("check-quorum", node, 0, roles[-1])
        elif trigger.startswith("FetchResponse") and roles:
            is_late = self._now[node].role != "follower"
            if not is_late:
                self._push("send-fetch", node, peer, roles[0])
            self._become(roles[-1])
            self._push("late-fetch" if is_late else "learn-leader", node, peer, roles[-1])

    def _role_of(self, entry: Entry) -> str:
        assert isinstance(entry.event, ev.RoleChanged)
        return entry.event.role

    def _vote_response(self, group: list[Entry], roles: list[Entry], peer: NodeId) -> None:
        """Counted, and perhaps the last that was waited for: then it is a candidate, a leader, or asks no more."""
        node, was = group[0].node, self._now[group[0].node]
        won = [one for one in roles if self._role_of(one) in ("candidate", "leader")]
        is_counted = any(isinstance(one.event, ev.VoteReceived) for one in group)
        if was.role == "prospective" and is_counted and not won:  # a majority refused
            won = roles
        is_late = node in self._given_up
        if not is_counted and not is_late:
            self._push("vote-request", peer, node, group[0], "refused by its epoch, which leaves no event there")
        for one in roles:
            if one not in won:
                self._become(one)
        self._push("late-vote" if is_late else "vote-response", node, peer, group[0])
        for one in won:
            self._become(one)
            voter = self._now[node]
            if voter.role == "leader":
                self._now[node] = replace(voter, log=(*voter.log, voter.epoch))
            self._push("become-leader" if voter.role == "leader" else "conclude", node, 0, one)

    def _timer(self, entry: Entry) -> None:
        was, role = self._now[entry.node].role, self._role_of(entry)
        label = {"prospective": "timeout", "resigned": "check-quorum"}.get(role, "")
        label = label or ("resigned-timeout" if was == "resigned" else "conclude")
        if label in ("timeout", "check-quorum"):
            self._answer.pop(entry.node, None)
            self._given_up.discard(entry.node)
        if label == "conclude" and role != "candidate":
            self._push("lose", entry.node, 0, entry)
            self._given_up.add(entry.node)
        self._become(entry)
        self._push(label, entry.node, 0, entry)

    def _log_step(self, entry: Entry, peer: NodeId) -> None:
        event, node = entry.event, entry.node
        match event:
            case ev.MetadataAppended(role="leader") if event.kinds != ("LeaderChangeRecord",):
                for epoch in _epochs(event):
                    self._append(node, epoch)
                    self._push("client", node, 0, entry)
            case ev.MetadataAppended(role="follower"):
                self._copied(entry, peer, list(_epochs(event)))
            case ev.MetadataTruncated():
                self._settle(node, entry)
                self._push("send-fetch", node, peer, entry)
                self._push("diverging", peer, node, entry)
                voter = self._now[node]
                self._now[node] = replace(voter, log=voter.log[: event.end_offset])
                self._push("handle-fetch", node, peer, entry, f"cuts to {event.end_offset}")
            case ev.MetadataHighWatermarkAdvanced(role="leader") if peer in self._nodes:
                self._advanced(entry, event, peer)

    def _append(self, node: NodeId, epoch: Epoch) -> None:
        voter = self._now[node]
        self._now[node] = replace(voter, log=(*voter.log, epoch))

    def _settle(self, node: NodeId, entry: Entry) -> bool:
        """An answer on its way is handled first, since one fetch is out at a time; whether it brought a record."""
        if node not in self._answer:
            return False
        brought = self._answer.pop(node)
        if brought is not None:
            self._append(node, brought)
        self._push("handle-fetch", node, self._now[node].leader, entry, "an answer on its way")
        return brought is not None

    def _copied(self, entry: Entry, leader: NodeId, epochs: list[Epoch]) -> None:
        node = entry.node
        has_begun = self._settle(node, entry)
        for at, epoch in enumerate(epochs[has_begun:], start=has_begun):
            if at == 0:
                self._settle(node, entry)
                self._counted[leader, self._now[leader].epoch, node] = len(self._now[node].log)
                self._push("send-fetch", node, leader, entry)
                self._push("accept-fetch", leader, node, entry)
            self._append(node, epoch)
            self._push("handle-fetch" if at == 0 else "batch-tail", node, leader, entry)

    def _advanced(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced, peer: NodeId) -> None:
        """Fetches of others that moved nothing visible come first, then the one that moved the high watermark."""
        node = entry.node
        for other, end in event.log_end_offsets:
            voter = self._now.get(other)
            if voter is None or other in (node, peer) or end < event.high_watermark:
                continue
            known = self._counted.get((node, self._now[node].epoch, other), 0)
            if voter.role == "follower" and voter.leader == node and len(voter.log) >= end > known:
                self._asked(node, other, entry)
        self._asked(node, peer, entry, event.high_watermark)

    def _asked(self, leader: NodeId, node: NodeId, entry: Entry, high_watermark: Offset = -1) -> None:
        """A fetch that the leader has answered, and whose answer is on its way."""
        self._settle(node, entry)
        self._push("send-fetch", node, leader, entry)
        at = len(self._now[node].log)
        self._counted[leader, self._now[leader].epoch, node] = at
        if high_watermark >= 0:
            self._now[leader] = replace(self._now[leader], high_watermark=high_watermark)
        self._push("accept-fetch", leader, node, entry, f"high watermark {self._now[leader].high_watermark}")
        log = self._now[leader].log
        self._answer[node] = log[at] if at < len(log) else None


def _epochs(event: ev.MetadataAppended) -> list[Epoch]:
    """Of each record that was written."""
    starts = [*(offset for _, offset in event.epochs[1:]), event.end_offset]
    found: list[Epoch] = []
    for (epoch, offset), end in zip(event.epochs, starts, strict=True):
        found += [epoch] * (end - max(offset, event.base_offset))
    return found
