"""Invariants of elections: votes, leaders, who may raise an epoch. Source: Raft paper 5.2, 5.4.1, KIP-595, KIP-996."""

from __future__ import annotations

from cluster.invariants.ghost.parts import Stamp
from cluster.invariants.group import Group, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NO_NODE, Epoch, LogEnd, NodeId


class ElectionInvariants(Group):
    """Judges R1, R2, R3, R4, R14, R18 and R19."""

    R1 = invariant("at most one leader per epoch", "Raft paper 5.2; Kafka SingleLeader", "A1")
    R2 = invariant("one vote per epoch, across restarts", "Raft paper 5.2; KIP-595 Vote", "A1")
    R3 = invariant("a leader has the votes of a majority", "Raft paper 5.2")
    R4 = invariant("no vote for a log that is behind", "Raft paper 5.4.1")
    R14 = invariant("all name the same leader of an epoch", "KIP-853 TLA+", "A1")
    R18 = invariant("nobody asks for votes without a majority of pre-votes", "KIP-996")
    R19 = invariant("who hears its leader grants no pre-vote", "KIP-996; Kafka FollowerState.canGrantVote")

    def begin(self) -> None:
        self._votes: dict[tuple[NodeId, Epoch], Stamp] = {}
        self._granted: dict[tuple[Epoch, NodeId], dict[NodeId, str]] = {}
        """Who voted for a candidate, with the disk that it had then."""
        self._named: dict[Epoch, Stamp] = {}
        self._would: dict[tuple[NodeId, NodeId, Epoch], str] = {}
        self._would_epoch = 0
        self._round: dict[NodeId, set[NodeId]] = {}
        self._heard: dict[NodeId, EventId] = {}
        """The first event of each follower that only an answer of its leader can lead to."""

    @before
    def _booted(self, entry: Entry, event: ev.QuorumBooted) -> None:
        """R2: a vote that was given is remembered, or it may be given to another one."""
        self._heard.pop(entry.node, None)
        if self.ghost.nodes[entry.node].is_replaced:  # the votes of the disk that is gone
            self._votes = {key: vote for key, vote in self._votes.items() if key[0] != entry.node}
        given = self._votes.get((entry.node, event.epoch))
        if given is not None and event.voted_for == NO_NODE:
            self.R2.violated(
                f"node {entry.node} comes back in epoch {event.epoch} without its vote for {given.node}",
                entry,
                given.event,
            )
        self._vote(entry, event.epoch, event.voted_for)
        self._name(entry, event.epoch, event.leader_id)

    @before
    def _role_changed(self, entry: Entry, event: ev.RoleChanged) -> None:
        self._heard.pop(entry.node, None)
        if event.role == "candidate":
            self._may_raise(entry, event.epoch)
        self._vote(entry, event.epoch, event.voted_for)
        self._name(entry, event.epoch, event.leader_id)

    def _vote(self, entry: Entry, epoch: Epoch, candidate: NodeId) -> None:
        if candidate == NO_NODE:
            return
        self.R2.checks += 1
        given = self._votes.setdefault((entry.node, epoch), Stamp(candidate, entry.id))
        if given.node != candidate:
            self.R2.violated(
                f"node {entry.node} voted for {candidate} in epoch {epoch}, where it had voted for {given.node}",
                entry,
                given.event,
            )

    def _name(self, entry: Entry, epoch: Epoch, leader: NodeId) -> None:
        if leader == NO_NODE:
            return
        self.R14.checks += 1
        named = self._named.setdefault(epoch, Stamp(leader, entry.id))
        if named.node != leader:
            self.R14.violated(
                f"node {entry.node} names {leader} as leader of epoch {epoch}, others named {named.node}",
                entry,
                named.event,
            )

    def _may_raise(self, entry: Entry, epoch: Epoch) -> None:
        ghost, node = self.ghost, self.ghost.nodes[entry.node]
        electorate = ghost.voting.electorate(entry.node)
        if epoch <= node.epoch or len(electorate.nodes) < 2 or not ghost.settings.get("pre_vote", True):
            return
        self.R18.checks += 1
        backers = {
            voter: disk
            for voter in self._round.get(entry.node, ())
            if (disk := self._would.get((voter, entry.node, node.epoch))) is not None
        }
        if not electorate.has_majority(backers | {entry.node: ghost.voting.records.disks.get(entry.node, "")}):
            names = ", ".join(map(str, sorted(backers))) or "nobody"
            self.R18.violated(
                f"node {entry.node} raised its epoch to {epoch}; only {names} would have voted for it",
                entry,
                node.voted_event,
            )

    @before
    def _election_started(self, entry: Entry, event: ev.ElectionStarted) -> None:
        if event.pre_vote:
            self._round[entry.node] = set()
        self._compare_end(entry, LogEnd(event.last_epoch, event.last_offset))

    @before
    def _vote_granted(self, entry: Entry, event: ev.VoteGranted) -> None:
        theirs = LogEnd(event.candidate_last_epoch, event.candidate_last_offset)
        self._compare_end(entry, LogEnd(event.last_epoch, event.last_offset))
        log = self.ghost.quorum.logs[entry.node]
        if theirs < LogEnd(log.last_epoch, log.end_offset):
            self.R4.violated(
                f"node {entry.node} voted for {event.candidate_id}, whose log ends at {theirs.offset} in epoch "
                f"{theirs.epoch}; its own ends at {log.end_offset} in epoch {log.last_epoch}",
                entry,
                entry.cause,
            )
        if event.pre_vote:
            self._disturbs(entry, event)
            if event.epoch > self._would_epoch:  # older rounds are over
                self._would_epoch = event.epoch
                self._would = {item: disk for item, disk in self._would.items() if item[2] >= event.epoch - 100}
            disk = self.ghost.voting.records.disks.get(entry.node, "")
            self._would[entry.node, event.candidate_id, event.epoch] = disk
            return
        self._vote(entry, event.epoch, event.candidate_id)
        disk = self.ghost.voting.records.disks.get(entry.node, "")
        self._granted.setdefault((event.epoch, event.candidate_id), {})[entry.node] = disk

    @before
    def _fetched(self, entry: Entry, _event: ev.MetadataAppended | ev.MetadataTruncated | None) -> None:
        if entry.node not in self._heard and self.ghost.nodes[entry.node].role == "follower":
            self._heard[entry.node] = entry.id

    @before
    def _learned(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        """What the own snapshot stands for is committed, whoever leads; all beyond it a leader has told."""
        if event.high_watermark > self.ghost.quorum.logs[entry.node].log_start_offset:
            self._fetched(entry, None)

    def _disturbs(self, entry: Entry, event: ev.VoteGranted) -> None:
        """R19. A follower whose fetch timeout ran out is no follower any more, so no clock is asked."""
        self.R19.checks += 1
        node, heard = self.ghost.nodes[entry.node], self._heard.get(entry.node)
        if node.role == "leader" or heard is not None:
            what = "leads" if heard is None else f"has fetched from leader {node.leader_id} in"
            self.R19.violated(
                f"node {entry.node} grants {event.candidate_id} a pre-vote and {what} epoch {node.epoch}",
                entry,
                heard or node.voted_event,
            )

    def _compare_end(self, entry: Entry, told: LogEnd) -> None:
        """What a node says of its own log must be what its events built."""
        self.R4.checks += 1
        log = self.ghost.quorum.logs[entry.node]
        rebuilt = LogEnd(log.last_epoch, log.end_offset)
        if told != rebuilt:
            self.R4.violated(
                f"node {entry.node} says that its log ends at {told.offset} in epoch {told.epoch}; by its events it "
                f"ends at {rebuilt.offset} in epoch {rebuilt.epoch}",
                entry,
            )

    @before
    def _vote_received(self, entry: Entry, event: ev.VoteReceived) -> None:
        if event.pre_vote and event.granted:
            self._round.setdefault(entry.node, set()).add(event.voter_id)

    @before
    def _leader_elected(self, entry: Entry, event: ev.LeaderElected) -> None:
        ghost = self.ghost
        self.R1.checks += 1
        self.R3.checks += 1
        made = ghost.quorum.leaders.get(event.epoch)
        if made is not None and made.node != entry.node:
            self.R1.violated(
                f"nodes {made.node} and {entry.node} were both elected in epoch {event.epoch}", entry, made.event
            )
        own = ghost.nodes[entry.node]  # its vote of today: R2 judges whether it gave another one before
        granted = self._granted.get((event.epoch, entry.node), {})
        backers = {voter: disk for voter, disk in granted.items() if voter in event.votes}
        if (own.epoch, own.voted_for) == (event.epoch, entry.node):
            backers[entry.node] = ghost.voting.records.disks.get(entry.node, "")
        electorate = ghost.voting.electorate(entry.node)
        if not electorate.has_majority(backers):
            names = ", ".join(map(str, sorted(backers))) or "nobody"
            self.R3.violated(
                f"node {entry.node} leads epoch {event.epoch} with votes of {names}, "
                f"no majority of {len(electorate.nodes)} voters",
                entry,
                entry.cause,
            )
