"""What the specifications make of the numbers of a decision of the quorum. Source: Raft paper 5, KIP-595, KIP-996."""

from __future__ import annotations

from cluster.invariants.decisions.audit import Compared, Decisions, either, no, yes
from cluster.invariants.group import invariant
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset

BUSY = ("leader", "candidate", "resigned")
"""Roles that give no vote in their own epoch. Source: KIP-595."""
FOLLOWS = ("follower", "observer")


def _log_end(text: str) -> tuple[Epoch, Offset]:
    offset, _, epoch = text.partition("@e")
    return int(epoch), int(offset)


def _is_behind(numbers: Compared) -> bool:
    """Whether a candidate's log is behind: its last epoch counts first, then its length. Source: Raft paper 5.4.1."""
    return _log_end(numbers["their log end"]) < _log_end(numbers["own log end"])


def _hears_a_leader(role: str, numbers: Compared) -> bool:
    """Who leads does, and who follows once it has fetched. Source: KIP-996."""
    return role == "leader" or (role in FOLLOWS and bool(numbers.get("has fetched from a leader", True)))


def _voters(text: str) -> list[tuple[NodeId, str]]:
    named = [one.partition(":") for one in text.split(", ") if one]
    return [(int(number), directory) for number, _, directory in named]


class QuorumDecisions(Decisions):
    """Asked of each event that carries such a decision."""

    R30 = invariant("votes, commits and cuts of the quorum follow from what was compared", "KIP-595, KIP-996")

    @yes("grant_vote", "grant_pre_vote")
    def _granted(self, event: ev.VoteGranted, numbers: Compared) -> str:
        role = self.ghost.nodes[numbers.node].role
        if event.pre_vote and "has fetched from a leader" in numbers and _hears_a_leader(role, numbers):
            return f"gives {event.candidate_id} a pre-vote in epoch {event.epoch} as {role}, and hears from a leader"
        if _is_behind(numbers) or _log_end(numbers["own log end"]) != (event.last_epoch, event.last_offset):
            return f"gives {event.candidate_id} its vote in epoch {event.epoch}, whose log is behind its own"
        return ""

    @no("grant_vote", "grant_pre_vote")
    def _rejected(self, event: ev.VoteRejected, numbers: Compared) -> str:
        node = self.ghost.nodes[numbers.node]
        if event.pre_vote:
            has_cause = _hears_a_leader(node.role, numbers)
        else:
            has_cause = node.role in BUSY or node.leader_id != NO_NODE or node.voted_for != NO_NODE
        if not has_cause and not _is_behind(numbers):
            what = "pre-vote" if event.pre_vote else "vote"
            return f"refuses {event.candidate_id} a {what} in epoch {event.epoch} as {node.role}, and has no cause to"
        return ""

    @either("count_votes")
    def _counted(self, event: ev.VoteReceived, numbers: Compared) -> str:
        voters = len(self.ghost.voting.electorate(numbers.node).nodes)
        needed = voters // 2 + 1
        if voters and numbers["needed"] != needed:
            return f"takes {numbers['needed']} of {voters} voters for a majority in epoch {event.epoch}"
        if numbers.granted is not (numbers["granted"] >= numbers["needed"]):
            return f"counts {numbers['granted']} votes of {numbers['needed']} wrongly in epoch {event.epoch}"
        return ""

    @no("check_quorum")
    def _role(self, event: ev.RoleChanged, numbers: Compared) -> str:
        """A leader resigns when no majority of the voters fetches, itself counted where it votes. Source: KIP-595."""
        heard, needed, voters = len(numbers["voters that fetched"]), numbers["needed besides itself"], numbers["voters"]
        if event.role != "resigned" or heard < needed <= voters // 2 + 1 and needed >= voters // 2:
            return ""
        return f"resigns in epoch {event.epoch} though {heard} of {voters} voters have fetched from it"

    @yes("follower_high_watermark")
    def _watermark(self, event: ev.MetadataHighWatermarkAdvanced, numbers: Compared) -> str:
        own_end = self.ghost.partition(*METADATA).logs[numbers.node].end_offset
        due = min(numbers["leader's high watermark"], own_end)
        if event.high_watermark == due > numbers["high watermark"]:
            return ""
        return (
            f"a follower's high watermark rises to {event.high_watermark}; its log and its leader's word make it {due}"
        )

    @yes("advance_high_watermark")
    def _leader_watermark(self, event: ev.MetadataHighWatermarkAdvanced, numbers: Compared) -> str:
        ends = sorted((end for _, end in event.log_end_offsets), reverse=True)
        due = ends[len(ends) // 2]
        voters = len(self.ghost.voting.electorate(numbers.node).nodes)
        if voters and len(ends) != voters:
            return f"counts {len(ends)} voters for its high watermark"
        if event.high_watermark == due > max(numbers["high watermark"], numbers["epoch start"]):
            return ""
        return f"a leader's high watermark rises to {event.high_watermark}; a majority has {due}"

    @yes("truncation_point")
    def _cut(self, event: ev.MetadataTruncated, numbers: Compared) -> str:
        named, end = numbers["leader's epoch"], numbers["which ends at"]
        own, own_end, log_end = numbers["own epoch"], numbers["own epoch ends at"], numbers["own log end"]
        if own < 0 or named == 0:
            due = min(end, log_end)
        elif own == named:
            due = min(own_end, end)
        else:
            due = own_end
        if event.end_offset == due and event.old_end_offset == log_end:
            return ""
        return f"cuts its log to {event.end_offset}; where both last agreed it ends at {due}"

    @yes("diverging_epoch")
    def _diverged(self, event: ev.MetadataDiverged, numbers: Compared) -> str:
        """It is so where the leader's log has not that epoch, or less of it, than the fetcher. Source: KIP-595."""
        asked = (event.last_fetched_epoch, event.fetch_offset)
        end = self.ghost.quorum.logs[numbers.node].end_of_epoch(event.last_fetched_epoch)
        if end not in (-1, event.diverging_end_offset):
            return (
                f"tells {event.replica_id} that epoch {asked[0]} ends at {event.diverging_end_offset}; it ends at {end}"
            )
        if asked == (numbers["last fetched epoch"], numbers["fetch offset"]):
            epoch_end = (numbers["leader has epoch"], numbers["which ends at"])
            if epoch_end[0] != asked[0] or epoch_end[1] < asked[1]:
                return ""
        return f"tells {event.replica_id} that its log parts from the leader's, and it does not"

    @yes("snapshot_due")
    def _written(self, _event: ev.SnapshotWritten, numbers: Compared) -> str:
        applied, age_ms = numbers["bytes applied since"], numbers["age_ms"]
        is_due = applied >= numbers["bytes between snapshots"] or age_ms >= numbers["interval_ms"]
        if is_due or numbers.get("none is left"):
            return ""
        return f"writes a snapshot after {applied} bytes and {age_ms} ms"

    @yes("snapshot_to_send")
    def _offered(self, event: ev.SnapshotOffered, numbers: Compared) -> str:
        """Who has nothing, wants what is gone, or comes from an epoch that the log lacks. Source: KIP-630."""
        newest, oldest = _log_end(numbers["newest snapshot"]), _log_end(numbers["oldest snapshot"])
        asked, epoch, start = numbers["fetch offset"], numbers["last fetched epoch"], numbers["log start"]
        if newest == (event.epoch, event.end_offset) and (
            asked == 0 or asked < start or epoch < oldest[0] or (asked == start == oldest[1] and epoch != oldest[0])
        ):
            return ""
        return f"offers {event.replica_id} snapshot {newest}, which wants offset {asked} of a log from {start} on"

    @yes("may_delete_oldest")
    def _deletes(self, event: ev.MetadataLogStartAdvanced, numbers: Compared) -> str:
        is_large = numbers["log and snapshots, bytes"] > numbers["retention, bytes"]
        if is_large or numbers["age of the oldest, ms"] > numbers["retention_ms"]:
            return ""
        return f"deletes its log up to {event.log_start_offset}, and it is neither too large nor too old"

    @yes("may_add_voter")
    def _joined(self, event: ev.VotersChanged, numbers: Compared) -> str:
        voters, (new,) = _voters(numbers["voters"]), _voters(numbers["new voter"])
        log = self.ghost.quorum.logs[new[0]]
        newest, due = log.epoch_at(log.end_offset - 1), self.ghost.nodes[numbers.node].epoch
        is_there = not self.ghost.nodes[new[0]].is_replaced and self.ghost.voting.records.disks.get(*new) == new[1]
        is_told = is_there and log.damaged is None and log.power_lost is None and (newest >= 0 or not log.end_offset)
        if is_told and newest < due:  # of a newer one it has heard since, and this leader has not
            return f"voter {new[0]} joins, and it has no record of this leader's epoch"
        if numbers["is caught up"] and new[0] not in dict(voters) and set(event.voters) == {*dict(voters), new[0]}:
            return ""
        return f"voter {new[0]} joins {sorted(dict(voters))}, which makes {list(event.voters)}"

    @yes("may_remove_voter")
    def _left(self, event: ev.VotersChanged, numbers: Compared) -> str:
        voters, (old,) = _voters(numbers["voters"]), _voters(numbers["to remove"])
        if old in voters and event.voters and set(event.voters) == {*dict(voters)} - {old[0]}:
            return ""
        return f"voter {old[0]} leaves {sorted(dict(voters))}, which makes {list(event.voters)}"

    @no("may_add_voter", "may_remove_voter", "may_change_voters")
    def _not_changed(self, event: ev.VoterChangeRefused, numbers: Compared) -> str:
        """One change at a time, after a record of the leader's own epoch. Source: Raft thesis 4.1, KIP-853."""
        match numbers.rule:
            case "may_add_voter":
                ((number, _),) = _voters(numbers["new voter"])
                is_there = number in dict(_voters(numbers["voters"]))
                fits = is_there if event.error == ErrorCode.DUPLICATE_VOTER else not numbers["is caught up"]
            case "may_remove_voter":
                voters, (old,) = _voters(numbers["voters"]), _voters(numbers["to remove"])
                fits = old not in voters or len(voters) == 1
            case _:
                is_waiting = numbers["high watermark"] <= numbers["voters stand at"]
                fits = is_waiting or event.error != ErrorCode.REQUEST_TIMED_OUT
        return (
            "" if fits else f"refuses to {event.kind} voter {event.voter_id} with error {event.error}, without a cause"
        )

    @yes("must_leave_office")
    def _leaves_office(self, event: ev.RoleChanged, numbers: Compared) -> str:
        if event.role == "resigned" and numbers["high watermark"] > numbers["change at"]:
            return ""
        return f"becomes {event.role} before its removal is committed"
