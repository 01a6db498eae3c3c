"""Short lives of a quorum of three, written by hand: each step is one legal move, and a test may leave a step out."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.traces import Trace, fsynced, recovered

VOTERS = (101, 102, 103)
Batch = tuple[int, int, int, str]
"""(base offset, end offset, epoch, digest)."""


class QuorumTrace(Trace):
    """Keeps each log and epoch as the nodes would, so that legal histories are short to write."""

    def __init__(self, voters: tuple[int, ...] = VOTERS, observers: tuple[int, ...] = (), **settings: Any) -> None:
        super().__init__()
        self.voters = voters
        self.logs: dict[int, list[Batch]] = {}
        self.epochs: dict[int, int] = {}
        self.known: dict[int, tuple[str, int, int]] = {}
        """Role, leader and vote of each node."""
        self.run(**settings)
        for node in (*voters, *observers):
            self.boot(node)

    def end(self, node: int) -> int:
        """Log end offset."""
        return self.logs[node][-1][1] if self.logs[node] else 0

    def last_epoch(self, node: int) -> int:
        """Of the last record."""
        return self.logs[node][-1][2] if self.logs[node] else 0

    def boot(self, node: int, *, epoch: int | None = None, voted_for: int = -1, keep: int | None = None) -> EventId:
        """Start a node on its files; with `keep` only that many batches are left."""
        log = self.logs.setdefault(node, [])
        if keep is not None:
            del log[keep:]
        self.start(node, "controller" if node in self.voters else "broker")
        told = tuple((base, end - base, of, (_hex(digest),)) for base, end, of, digest in log)
        self.add(node, recovered(self.end(node), told))
        self.add(node, fsynced(self.end(node)))
        self.epochs[node] = self.epochs.get(node, 0) if epoch is None else epoch
        self.known[node] = ("unattached", -1, voted_for)
        booted = ev.QuorumBooted(
            epoch=self.epochs[node],
            voted_for=voted_for,
            leader_id=-1,
            log_end_offset=self.end(node),
            last_epoch=self.last_epoch(node),
            voters=self.voters,
        )
        return self.add(node, booted)

    def role(
        self,
        node: int,
        role: str,
        epoch: int,
        *,
        leader: int = -1,
        vote: int = -1,
        lied: bool = False,
        disk: bool = True,
    ) -> EventId:
        """A role with what is persisted for it. A vote is kept within its epoch."""
        if vote == -1 and epoch == self.epochs[node]:
            vote = self.known[node][2]
        self.known[node] = (role, leader, vote)
        if disk:
            self.add(node, ev.ElectionPersisted(epoch=epoch, leader_id=leader, voted_for=vote, lied=lied))
        self.epochs[node] = epoch
        return self.add(node, ev.RoleChanged(role=role, epoch=epoch, leader_id=leader, voted_for=vote, why="by hand"))

    def ask(self, node: int, epoch: int, *, pre_vote: bool) -> EventId:
        """A round begins."""
        return self.add(
            node,
            ev.ElectionStarted(
                epoch=epoch,
                pre_vote=pre_vote,
                last_epoch=self.last_epoch(node),
                last_offset=self.end(node),
                voters=self.voters,
            ),
        )

    def grant(
        self, voter: int, candidate: int, epoch: int, *, pre_vote: bool = False, cause: EventId | None
    ) -> EventId:
        """A vote is given."""
        return self.add(
            voter,
            ev.VoteGranted(
                epoch=epoch,
                candidate_id=candidate,
                pre_vote=pre_vote,
                candidate_last_epoch=self.last_epoch(candidate),
                candidate_last_offset=self.end(candidate),
                last_epoch=self.last_epoch(voter),
                last_offset=self.end(voter),
            ),
            cause,
        )

    def count(self, node: int, voter: int, epoch: int, *, pre_vote: bool = False, cause: EventId) -> EventId:
        """A vote is received."""
        return self.add(
            node,
            ev.VoteReceived(
                epoch=epoch,
                voter_id=voter,
                pre_vote=pre_vote,
                granted=True,
                granted_count=2,
                rejected_count=0,
                needed=2,
            ),
            cause,
        )

    def pre_vote(self, node: int, backer: int) -> None:
        """A pre-vote round that is won with one other voter, whose fetch timeout has run out, too."""
        epoch = self.epochs[node]
        for silent in (node, backer):
            role, leader, _ = self.known[silent]
            if silent == node or role == "follower":
                self.role(silent, "prospective", self.epochs[silent], leader=leader, disk=False)
        asked = self.ask(node, epoch, pre_vote=True)
        granted = self.grant(backer, node, epoch, pre_vote=True, cause=asked)
        self.count(node, backer, epoch, pre_vote=True, cause=granted)

    def stand(self, node: int, epoch: int) -> EventId:
        """Become a candidate."""
        self.role(node, "candidate", epoch, vote=node)
        return self.ask(node, epoch, pre_vote=False)

    def vote(self, voter: int, candidate: int, epoch: int, asked: EventId, *, disk: bool = True) -> EventId:
        """Learn the epoch, keep the vote, give it."""
        if self.epochs[voter] < epoch:
            self.role(voter, "unattached", epoch)
        self.role(voter, "unattached", epoch, vote=candidate, disk=disk)
        return self.grant(voter, candidate, epoch, cause=asked)

    def lead(self, node: int, epoch: int, votes: tuple[int, ...]) -> EventId:
        """Become leader and write the first record of the epoch."""
        self.role(node, "leader", epoch, leader=node, vote=node)
        elected = self.add(
            node, ev.LeaderElected(epoch=epoch, epoch_start_offset=self.end(node), votes=tuple(sorted(votes)))
        )
        self.write(node, f"c{epoch:07d}")
        return elected

    def elect(self, node: int, epoch: int, backer: int) -> EventId:
        """A whole election, won with one other voter."""
        self.pre_vote(node, backer)
        asked = self.stand(node, epoch)
        granted = self.vote(backer, node, epoch, asked)
        self.count(node, backer, epoch, cause=granted)
        return self.lead(node, epoch, (node, backer))

    def write(self, node: int, digest: str, *, epoch: int | None = None, role: str = "leader") -> EventId:
        """One record at the log's end, on disk at once."""
        base = self.end(node)
        return self._append(node, [(base, base + 1, self.epochs[node] if epoch is None else epoch, digest)], role)

    def _append(self, node: int, batches: list[Batch], role: str) -> EventId:
        self.logs[node] += batches
        appended = ev.MetadataAppended(
            base_offset=batches[0][0],
            end_offset=batches[-1][1],
            epochs=tuple((epoch, base) for base, _, epoch, _ in batches),
            kinds=(),
            role=role,
            digests=tuple(_hex(digest) for *_, digest in batches),
        )
        told = self.add(node, appended)
        self.add(node, fsynced(self.end(node)))
        return told

    def follow(self, node: int, leader: int) -> EventId:
        """Follow a leader in its epoch."""
        return self.role(node, "follower", self.epochs[leader], leader=leader)

    def fetch(self, node: int, leader: int, *, role: str = "follower") -> EventId:
        """Take over all that the leader has beyond the own log end."""
        return self._append(node, [batch for batch in self.logs[leader] if batch[0] >= self.end(node)], role)

    def advance(self, node: int, end: int, *, role: str = "leader", ends: dict[int, int] | None = None) -> EventId:
        """Say that all below `end` is committed."""
        counted = {voter: self.end(voter) for voter in self.voters} if ends is None else ends
        return self.add(
            node,
            ev.MetadataHighWatermarkAdvanced(
                epoch=self.epochs[node],
                high_watermark=end,
                role=role,
                log_end_offsets=tuple(sorted(counted.items())) if role == "leader" else (),
            ),
        )

    def diverge(self, leader: int, replica: int, end: int) -> EventId:
        """The leader answers a fetch with the place where the logs part."""
        return self.add(
            leader,
            ev.MetadataDiverged(
                replica_id=replica,
                fetch_offset=self.end(replica),
                last_fetched_epoch=self.last_epoch(replica),
                diverging_epoch=1,
                diverging_end_offset=end,
            ),
        )

    def cut(self, node: int, end: int, cause: EventId | None) -> EventId:
        """Cut the log."""
        old = self.end(node)
        self.logs[node] = [batch for batch in self.logs[node] if batch[1] <= end]
        event = ev.MetadataTruncated(end_offset=end, old_end_offset=old, high_watermark=-1, why="by hand")
        told = self.add(node, event, cause)
        self.add(node, fsynced(end))
        return told


def _hex(digest: str) -> str:
    return digest.encode().hex()[:16]


def led() -> QuorumTrace:
    """101 leads epoch 1, two records are committed on 101 and 102; 103 has only the first."""
    trace = QuorumTrace()
    trace.elect(101, 1, 102)
    trace.follow(102, 101)
    trace.follow(103, 101)
    trace.fetch(102, 101)
    trace.fetch(103, 101)
    trace.advance(101, 1)
    trace.write(101, "a")
    trace.fetch(102, 101)
    trace.advance(101, 2)
    trace.advance(102, 2, role="follower")
    return trace
