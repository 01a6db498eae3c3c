"""The quorum of a run as labelled steps of the specification of KIP-996: elections with pre-votes, and fetches.

A step of a node is one step of the specification, or some: an answer that carried records is a fetch that is sent,
answered and handled. Answers that moved nothing leave no event and are put in where the leader counted them.
"""

from __future__ import annotations

from dataclasses import replace

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import Epoch, NodeId, Offset
from judges.specification.causal_order import Recording, settings_of
from judges.specification.not_judged import NotJudged
from judges.specification.quorum_groups import VOTES, groups_of
from judges.specification.quorum_state import Message, QuorumState, Voter

UNKIND = "UnkindNetwork"


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
    if any(isinstance(entry.event, ev.SnapshotInstalled) and entry.node in voters for entry in recording.entries):
        raise NotJudged("a voter took over a snapshot, which this specification does not know")
    if any(isinstance(entry.event, ev.FaultApplied) and entry.event.kind == UNKIND for entry in recording.entries):
        raise NotJudged("the network loses, doubles or overtakes frames, and the run does not say which")
    line = _Line(voters)
    for group in groups_of(recording, voters):
        line.take(recording, group)
    if not line.states:
        raise NotJudged("the quorum never began")
    return line.states, voters


class _Line:
    def __init__(self, voters: tuple[NodeId, ...]) -> None:
        self._nodes = voters
        self._now: dict[NodeId, Voter] = {}
        self._opened: dict[NodeId, tuple[Offset, tuple[Epoch, ...]]] = {}
        """Where the log of each began when it was opened, behind its snapshot, and the epochs from there."""
        self._answer: dict[NodeId, Epoch | None] = {}
        """What the answer on its way to each brings: an epoch of a record, or None for nothing."""
        self._counted: dict[tuple[NodeId, Epoch, NodeId], Offset] = {}
        """(leader, epoch, voter): the log end that its last fetch named."""
        self._sent: dict[Message, bool] = {}
        """Requests for votes and answers, in order; False once handled."""
        self._left: dict[NodeId, tuple[Voter, int, bool]] = {}
        """Who followed until lately: as what, before which state that ended, and whether an answer was on its way."""
        self._lack: set[NodeId] = set()
        """Whose disks may lack what was not flushed, since they last started."""
        self._forget: set[NodeId] = set()
        """Whose disks are known to lie or were damaged: they may forget anything."""
        self._round: dict[NodeId, dict[NodeId, bool]] = {}
        """By asker: who has answered its present round, and whether with yes."""
        self.states: list[QuorumState] = []

    def take(self, recording: Recording, group: list[Entry]) -> None:
        """One step of a voter."""
        first, node = recording.handler(group[0]), group[0].node
        event = group[0].event
        if isinstance(event, ev.PowerLost):
            self._lack.add(event.node_id)
            return
        if isinstance(event, ev.FaultApplied):
            self._forget.update(event.nodes)
            return
        if isinstance(event, ev.LogRecovered):
            epochs = tuple(epoch for _, count, epoch, _ in event.batches for _ in range(count))
            self._opened[node] = (event.log_start_offset, epochs)
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
            for voter in self._nodes:
                self._ask(voter)
        peer = int(first.trigger.rpartition(" from ")[2]) if " from " in first.trigger else 0
        self._role_steps(first.trigger, group, roles, peer)
        for one in group:
            self._log_step(one, peer)

    def _boot(self, entry: Entry, event: ev.QuorumBooted) -> None:
        node, was = entry.node, self._now.get(entry.node)
        start, log = self._opened.get(node, (0, ()))
        if start > (0 if was is None else len(was.log)):
            raise NotJudged(f"the log of voter {node} begins behind a snapshot, which this specification does not know")
        if was is None:
            voted = max(event.voted_for, 0)
            self._now[node] = Voter("unattached", event.epoch, 0, voted, log)
            return
        log = (*was.log[:start], *log)
        if len(log) > len(was.log) and (was.role == "leader" or any(
            other.log[: len(log)] == log for other in self._now.values()
        )):  # fmt: skip
            raise NotJudged(f"voter {node} died between a write to its log and the event that tells it")
        voted, lacks = max(event.voted_for, 0), node in self._lack or node in self._forget
        self._lack.discard(node)
        has_forgotten = event.epoch < was.epoch or event.epoch == was.epoch and was.voted and not voted
        if has_forgotten and node in self._forget:
            raise NotJudged(
                f"voter {node} came back without its epoch or vote: the specification's disks forget nothing"
            )
        if voted not in (0, was.voted) or event.epoch > was.epoch:
            was = self._untold(entry, event, was, voted)
        self._answer.pop(node, None)
        role = {"leader": "resigned", "prospective": "unattached"}.get(was.role, was.role)
        is_shorter = lacks and len(log) < len(was.log)
        self._now[node] = replace(was, role=role, epoch=event.epoch, voted=voted, high_watermark=0, log=log)
        self._push("lost-tail" if is_shorter else "restart", node, 0, entry)

    def _untold(self, entry: Entry, event: ev.QuorumBooted, was: Voter, voted: NodeId) -> Voter:
        """A vote that went to the disk just before the node died. NotJudged when it died in another such moment."""
        node = entry.node
        asked = [one for one in self._sent if (one.source, one.dest, one.epoch) == (voted, node, event.epoch)]
        asked = [one for one in asked if not one.pre_vote and one.granted is None]
        if asked:
            self._handle(asked[-1], entry)
            self._now[node] = was = replace(was, role="unattached", epoch=event.epoch, leader=0, voted=voted)
            self._answered(entry, asked[-1], True, "a vote that only its disk knows of")
        elif voted in (0, node) and event.epoch <= 1 + max(voter.epoch for voter in self._now.values()):
            raise NotJudged(f"voter {node} died between an epoch on its disk and the event that tells it")
        return was

    def _become(self, entry: Entry) -> None:
        event, was = entry.event, self._now[entry.node]
        assert isinstance(event, ev.RoleChanged)
        self._now[entry.node] = new = replace(
            was, role=event.role, epoch=event.epoch, leader=max(event.leader_id, 0), voted=max(event.voted_for, 0)
        )
        if was.role == "follower" and (was.role, was.epoch, was.leader) != (new.role, new.epoch, new.leader):
            self._left[entry.node] = (was, len(self.states), entry.node in self._answer)
            self._answer.pop(entry.node, None)

    def _push(
        self, label: str, node: NodeId, peer: NodeId = 0, entry: Entry | None = None, said: str = "",
        message: Message | None = None, *, granted: bool = False,
    ) -> None:  # fmt: skip
        voters = tuple(self._now[each] for each in self._nodes)
        self.states.append(QuorumState(label, node, peer, self._nodes, voters, entry, said, message, granted))

    def _ask(self, node: NodeId) -> None:
        """What the specification sends as a round begins."""
        voter = self._now[node]
        if voter.role in ("prospective", "candidate"):
            last = (voter.log[-1] if voter.log else 0, len(voter.log))
            for peer in self._nodes:
                if peer != node:
                    self._sent[Message(node, peer, voter.role == "prospective", voter.epoch, last)] = True

    def _handle(self, message: Message, entry: Entry) -> None:
        """Before what it changes. What was handled before has come again."""
        if self._sent.get(message) is False:
            self._push("again", message.dest, message.source, entry, message=message)
        self._sent[message] = False

    def _answered(self, entry: Entry, asked: Message, granted: bool, said: str = "") -> None:
        """After what the request changed."""
        voter = asked.dest
        self._sent[Message(voter, asked.source, asked.pre_vote, self._now[voter].epoch, granted=granted)] = True
        self._push("vote-request", voter, asked.source, entry, said, asked, granted=granted)

    def _role_steps(self, trigger: str, group: list[Entry], roles: list[Entry], peer: NodeId) -> None:
        node = group[0].node
        if trigger.startswith("VoteRequest"):
            self._vote_request(group, roles)
        elif trigger.startswith("VoteResponse"):
            self._vote_response(group, roles, peer)
        elif trigger.startswith("BeginQuorum") and roles:
            self._become(roles[-1])
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

    def _epoch_of(self, entry: Entry) -> Epoch:
        assert isinstance(entry.event, ev.RoleChanged)
        return entry.event.epoch

    def _role_of(self, entry: Entry) -> str:
        assert isinstance(entry.event, ev.RoleChanged)
        return entry.event.role

    def _vote_request(self, group: list[Entry], roles: list[Entry]) -> None:
        told = next((one for one in group if isinstance(one.event, VOTES)), None)
        if told is not None:
            event = told.event
            assert isinstance(event, VOTES)
            last = event.candidate_last_epoch, event.candidate_last_offset
            asked = Message(event.candidate_id, told.node, event.pre_vote, event.epoch, last)
            self._handle(asked, told)
        for one in roles[-1:]:
            self._become(one)
        if told is not None:
            self._answered(group[-1], asked, isinstance(told.event, ev.VoteGranted))
        if any(isinstance(one.event, ev.ElectionStarted) for one in group):  # who asks itself asks all anew
            self._round[group[0].node] = {}

    def _vote_response(self, group: list[Entry], roles: list[Entry], peer: NodeId) -> None:
        """Counted, and perhaps the last that was waited for: then it is a candidate, a leader, or asks no more."""
        node, first = group[0].node, group[0]
        counted = next((one.event for one in group if isinstance(one.event, ev.VoteReceived)), None)
        if counted is None:
            message = self._uncounted(first, peer, roles)
            for one in roles:
                self._become(one)
            self._push("vote-response", node, peer, first, message=message)
            return
        message = Message(peer, node, counted.pre_vote, counted.epoch, granted=counted.granted)
        self._handle(message, first)
        self._round.setdefault(node, {})[peer] = counted.granted
        self._push("vote-response", node, peer, first, message=message)
        for one in roles:
            self._concluded(one, is_over=False)

    def _uncounted(self, entry: Entry, peer: NodeId, roles: list[Entry]) -> Message | None:
        """An answer that only tells of an epoch or a leader; to an older epoch it is given without an event."""
        node, epoch = entry.node, max([self._now[entry.node].epoch, *(self._epoch_of(one) for one in roles)])
        for message, is_under_way in reversed(self._sent.items()):
            is_answer = message.granted is not None and (message.source, message.dest) == (peer, node)
            if is_answer and is_under_way and message.epoch == epoch:
                self._handle(message, entry)
                return message
        asked = [one for one in self._sent if (one.source, one.dest, one.granted) == (node, peer, None)]
        if asked:
            self._handle(asked[-1], entry)
            self._push(
                "vote-request", peer, node, entry, "refused by its epoch, which leaves no event there", asked[-1]
            )
        return None

    def _concluded(self, entry: Entry, *, is_over: bool) -> None:
        """A round ended. is_over: its time is."""
        node, role = entry.node, self._role_of(entry)
        self._become(entry)
        if role == "leader":
            self._append(node, self._now[node].epoch)
            self._push("become-leader", node, 0, entry)
            return
        answers = self._round.pop(node, {}).values()
        majority = len(self._nodes) // 2 + 1
        may_end = 1 + sum(answers) < majority if is_over else len(answers) - sum(answers) >= majority
        waits = any(one.pre_vote and is_under_way and node == (one.source if one.granted is None else one.dest)
                    for one, is_under_way in self._sent.items())  # fmt: skip
        self._push("give-up" if role != "candidate" and may_end and waits else "conclude", node, 0, entry)
        self._ask(node)

    def _timer(self, entry: Entry) -> None:
        was, role = self._now[entry.node].role, self._role_of(entry)
        label = {"prospective": "timeout", "resigned": "check-quorum"}.get(role, "")
        if not label and was != "resigned":
            self._concluded(entry, is_over=True)
            return
        self._become(entry)
        self._push(label or "resigned-timeout", entry.node, 0, entry)
        self._ask(entry.node)
        self._round.pop(entry.node, None)

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
            if other not in self._now or other in (node, peer) or end < event.high_watermark:
                continue
            voter = self._as_follower_of(node, other)
            known = self._counted.get((node, self._now[node].epoch, other), 0)
            if voter is not None and len(voter.log) >= end > known:
                self._asked(node, other, entry)
        self._asked(node, peer, entry, event.high_watermark)

    def _asked(self, leader: NodeId, node: NodeId, entry: Entry, high_watermark: Offset = -1) -> None:
        """A fetch that the leader has answered, and whose answer is on its way."""
        voter = self._as_follower_of(leader, node)
        if voter is None or voter is self._now[node]:
            self._settle(node, entry)
            self._push("send-fetch", node, leader, entry)
            voter = self._now[node]
        else:
            self._asked_before(leader, node, entry)
        at = len(voter.log)
        self._counted[leader, self._now[leader].epoch, node] = at
        if high_watermark >= 0:
            self._now[leader] = replace(self._now[leader], high_watermark=high_watermark)
        self._push("accept-fetch", leader, node, entry, f"high watermark {self._now[leader].high_watermark}")
        log = self._now[leader].log
        if voter is self._now[node]:
            self._answer[node] = log[at] if at < len(log) else None

    def _as_follower_of(self, leader: NodeId, node: NodeId) -> Voter | None:
        """As it follows that leader, or as it did until lately; None where it did neither."""
        follows = ("follower", leader, self._now[leader].epoch)
        voters = [self._now[node], *self._left.get(node, ())[:1]]
        return next((one for one in voters if (one.role, one.leader, one.epoch) == follows), None)

    def _asked_before(self, leader: NodeId, node: NodeId, entry: Entry) -> None:
        """A fetch that was sent before its sender followed no more, and lay at its leader since."""
        _, at, is_answered = self._left.pop(node)
        said = "a fetch that lay at the leader"
        steps = [replace(self.states[at - 1], label=label, node=node, peer=leader, entry=entry, message=None, said=said)
                 for label in ("handle-fetch", "send-fetch")]  # fmt: skip
        self.states[at:at] = steps[not is_answered :]
        for other, (was, index, answered) in self._left.items():
            self._left[other] = (was, index + (1 + is_answered) * (index >= at), answered)


def _epochs(event: ev.MetadataAppended) -> list[Epoch]:
    """Of each record that was written."""
    starts = [*(offset for _, offset in event.epochs[1:]), event.end_offset]
    found: list[Epoch] = []
    for (epoch, offset), end in zip(event.epochs, starts, strict=True):
        found += [epoch] * (end - max(offset, event.base_offset))
    return found
