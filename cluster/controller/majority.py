"""Leaders of partitions that a majority of their replicas commits.

The controller knows no logs. So it deposes first: the new leader epoch has no leader, and each replica that learns of
it takes nothing more from the old one and reports where its log ends. A majority of such reports elects, in one epoch
more. The ISR of such a partition is its assignment and never changes. What was reported is not in the metadata log;
replicas tell a new active controller again.
"""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.partition_changes import with_leader, write_partition
from cluster.controller.rules.majority import LogEndReport, elect_by_majority
from cluster.controller.state import ControllerState
from cluster.model.errors import ErrorCode
from cluster.model.events import LogEndHeard
from cluster.model.identifiers import NO_NODE, TopicPartition
from cluster.model.messages import ReportLogEndRequest, ReportLogEndResponse


def on_log_end(state: ControllerState, batch: Batch, request: ReportLogEndRequest) -> ReportLogEndResponse:
    """Take a report of a replica in service, and elect when that makes a majority."""
    where = TopicPartition(request.topic, request.partition)
    error = _judge(state, where, request)
    if error == ErrorCode.NONE:
        reports = state.log_ends.setdefault((where, request.leader_epoch), {})
        report = LogEndReport(request.adopted_epoch, request.log_end_offset, request.broker_epoch)
        if reports.get(request.broker_id) != report:
            reports[request.broker_id] = report
            batch.emit(
                LogEndHeard(
                    topic=request.topic,
                    partition=request.partition,
                    broker_id=request.broker_id,
                    leader_epoch=request.leader_epoch,
                    adopted_epoch=request.adopted_epoch,
                    log_end_offset=request.log_end_offset,
                )
            )
        elect(state, batch, where)
    return ReportLogEndResponse(
        error=error, topic=request.topic, partition=request.partition, leader_id=state.leader_id
    )


def elect(state: ControllerState, batch: Batch, where: TopicPartition, *, unclean: bool = False) -> bool:
    """Let the most complete log lead that was reported; whether there was one."""
    before = batch.image.partitions[where]
    eligible = batch.image.eligible_brokers()
    reports = {
        node: report
        for node, report in state.log_ends.get((where, before.leader_epoch), {}).items()
        if eligible.get(node) == report.broker_epoch
    }
    clean = elect_by_majority(before, reports)
    ruling = elect_by_majority(before, reports, needs_majority=False) if unclean and not clean.granted else clean
    if not ruling.granted:
        return False
    del state.log_ends[where, before.leader_epoch]
    why = f"{len(reports)} of {len(before.replicas)} have told where their logs end"
    write_partition(batch, where, with_leader(before, ruling.value), why, not clean.granted, ruling.decision)
    return True


def _judge(state: ControllerState, where: TopicPartition, request: ReportLogEndRequest) -> ErrorCode:
    image = state.image
    partition, broker = image.partitions.get(where), image.brokers.get(request.broker_id)
    if partition is None or partition.topic_id != request.topic_id:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if broker is None or broker.broker_epoch != request.broker_epoch:
        return ErrorCode.STALE_BROKER_EPOCH
    if request.leader_epoch != partition.leader_epoch or partition.leader != NO_NODE:
        return ErrorCode.FENCED_LEADER_EPOCH
    if request.broker_id not in partition.replicas or not broker.eligible:
        return ErrorCode.INELIGIBLE_REPLICA
    return ErrorCode.NONE
