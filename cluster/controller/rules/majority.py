"""The rules of leaders where a majority of the replicas commits: who leads on, and that the most complete log leads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no


class LogEndReport(NamedTuple):
    """Where a replica's log ends that takes nothing from leaders before any more."""

    adopted_epoch: Epoch
    """Newest leader epoch with whose beginning the log is whole; -1 for none."""
    log_end_offset: Offset
    broker_epoch: int
    """Of the process that told it."""


@rule(source="Raft thesis 6.2, check-quorum")
def leads_on(state: PartitionState, in_service: Collection[NodeId], leaving: NodeId) -> Ruling[bool]:
    """A leader by majority leads on while it and a majority of the replicas are in service.

    Without one it can commit nothing. It would keep its star all the same when its followers are fenced one by one, and
    lose it when it is the first to go: which of the two would be decided by milliseconds.

        in service  1 2 3    fenced 3, 2: 1 leads on for ever, and confirms nothing
                             fenced 1, 2: nobody leads

    Args:
        in_service: brokers that may lead, before this change.
        leaving: the replica that goes out of service. One that is out already takes no majority away: so a leader of an
            unclean election, who has none, stays.
    """
    before = len(set(in_service).intersection(state.replicas))
    after = before - (leaving in in_service)
    needed = len(state.replicas) // 2 + 1
    numbers: Numbers = {
        "leader": state.leader,
        "leaving": leaving,
        "replicas": len(state.replicas),
        "in_service": after,
        "needed": needed,
    }
    if state.leader == leaving:
        return yes_or_no(False, "the leader goes out of service", numbers)
    if after < needed <= before:
        return yes_or_no(False, "fewer than a majority of the replicas are in service", numbers)
    return yes_or_no(True, "a majority of the replicas is in service", numbers)


@rule(source="Viewstamped Replication Revisited 4.2; Raft paper 5.4.1")
def elect_by_majority(
    state: PartitionState, reports: Mapping[NodeId, LogEndReport], *, needs_majority: bool = True
) -> Ruling[NodeId]:
    """Once a majority of the replicas has told where its logs end, the most complete of these logs leads.

    Any two majorities share a replica, so one of those that tell has what is committed. It has promised to take nothing
    from leaders before, so nothing more is committed behind their backs. The newest adopted leader epoch comes first,
    then the longer log, then the order of the assignment. The value is -1 while too few have told.

    Args:
        reports: of replicas in service, in the partition's newest leader epoch, which has no leader.
        needs_majority: False for an unclean election, which takes the best of whoever has told.
    """
    needed = len(state.replicas) // 2 + 1 if needs_majority else 1
    numbers: Numbers = {"replicas": len(state.replicas), "have_told": len(reports), "needed": needed}
    for node, report in sorted(reports.items()):
        numbers[f"log_end_offset of {node}"] = report.log_end_offset
        numbers[f"adopted_epoch of {node}"] = report.adopted_epoch
    if len(reports) < needed:
        return Ruling(NO_NODE, False, "too few replicas have told where their logs end", numbers)
    candidates = [node for node in state.replicas if node in reports]
    leader = max(candidates, key=lambda node: reports[node][:2])
    return Ruling(leader, True, "the most complete log of those that have told", numbers)
