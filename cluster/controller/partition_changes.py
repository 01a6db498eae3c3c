"""What happens to partitions when a broker is fenced, unfenced, leaves or comes back as a new process."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from cluster.controller.batch import Batch
from cluster.controller.image import MetadataImage
from cluster.controller.rules.eligible_leader_replicas import eligible_leader_replicas
from cluster.controller.rules.leader_election import Candidates, Election, elect_leader, isr_after_election
from cluster.controller.rules.majority import leads_on
from cluster.controller.rules.reassignment import (
    Assignment,
    Completed,
    assignment_of,
    complete_reassignment,
    next_leader_epoch,
)
from cluster.controller.rules.topic_configs import effective_min_insync_replicas
from cluster.model.events import PartitionDecided, ReassignmentEnded
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.metadata_records import PartitionRecord
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Decision, Ruling
from cluster.model.settings import Settings
from cluster.model.topic_settings import commits_by_majority


class Target(Struct, frozen=True, kw_only=True):
    """What a partition is to be, but for its leader."""

    where: TopicPartition
    before: PartitionState
    candidates: Candidates
    """With the replicas that it is to have."""
    completion: Ruling[Completed]
    """Of its reassignment; granted when this change completes it."""


def target_of(
    batch: Batch,
    settings: Settings,
    where: TopicPartition,
    *,
    target_isr: tuple[NodeId, ...] | None = None,
    assignment: Assignment | None = None,
    eligible: frozenset[NodeId] | None = None,
    lost: frozenset[NodeId] = frozenset(),
) -> Target:
    """Complete its reassignment when that ISR is enough, then count the ELR. Source: PartitionChangeBuilder.build.

    Eligible leader replicas are always replicas; Kafka leaves in the ELR who a reassignment took out.

    Args:
        target_isr: None as it is.
        assignment: None as it is.
        eligible: who may lead; None for who is in service.
        lost: brokers that came back from an unclean stop and may have lost records.
    """
    image = batch.image
    before = image.partitions[where]
    isr = before.isr if target_isr is None else target_isr
    completion = complete_reassignment(assignment or assignment_of(before), isr)
    wanted, isr = completion.value
    state = before
    if wanted != assignment_of(before):
        configured = image.topics[where.topic].min_insync_replicas
        state = replace(
            before,
            replicas=wanted.replicas,
            adding_replicas=wanted.adding,
            removing_replicas=wanted.removing,
            min_insync_replicas=effective_min_insync_replicas(configured, len(wanted.replicas)).value,
        )
    candidates = Candidates(
        state=state,
        target_isr=isr,
        target_elr=eligible_leader_replicas(state, isr, settings.elr, lost).value,
        eligible=frozenset(image.eligible_brokers()) if eligible is None else eligible,
        elr_enabled=settings.elr,
    )
    return Target(where=where, before=before, candidates=candidates, completion=completion)


def decide(
    batch: Batch,
    target: Target,
    election: Election,
    why: str,
    *,
    recovering: bool | None = None,
    unclean: bool = False,
    asked_epochs: tuple[int, ...] = (),
    decision: Decision | None = None,
) -> PartitionState | None:
    """Elect a leader for what a partition is to be, and write it; None when nothing changes.

    Args:
        recovering: None as it is.
        unclean: whether the ISR is unclean already, whoever is elected.
        decision: why it is changed; None for that of the election.
    """
    after, is_unclean, election_decision = changed(target.candidates, election, recovering, before=target.before)
    if after is None:
        return None
    if target.completion.granted:
        where, before = target.where, target.before
        gone = tuple(node for node in before.replicas if node not in after.replicas)
        ended = ReassignmentEnded(
            topic=where.topic,
            partition=where.partition,
            how="completed",
            replicas=after.replicas,
            left=gone,
        )
        batch.emit(ended, target.completion.decision)
        why = f"{why}, which completes the reassignment"
    write_partition(batch, target.where, after, why, is_unclean or unclean, decision or election_decision, asked_epochs)
    return after


def changed(
    candidates: Candidates,
    election: Election,
    recovering: bool | None = None,
    *,
    before: PartitionState | None = None,
) -> tuple[PartitionState | None, bool, Decision]:
    """Elect and build the state after the change. Source: PartitionChangeBuilder.build.

    Args:
        before: the state to be changed, where the replicas of the candidates are others.

    Returns:
        The new state, or None when nothing changes; whether the election was unclean; the election's decision.
    """
    before = candidates.state if before is None else before
    ruling = elect_leader(candidates, election)
    choice = ruling.value
    members = isr_after_election(
        candidates, choice, recovering=before.recovering if recovering is None else recovering
    ).value
    last_known = NO_NODE
    if candidates.elr_enabled and choice.leader == NO_NODE:
        last_known = before.last_known_leader if before.leader == NO_NODE else before.leader
    after = replace(
        candidates.state,
        leader=choice.leader,
        leader_epoch=next_leader_epoch(before, choice.leader, candidates.state.replicas).value,
        isr=members.isr,
        elr=members.elr,
        last_known_leader=last_known,
        recovering=members.recovering,
    )
    if after == before:
        return None, False, ruling.decision
    return replace(after, partition_epoch=before.partition_epoch + 1), choice.unclean, ruling.decision


def online_election(image: MetadataImage, settings: Settings, topic: str) -> Election:
    """The election that events trigger: unclean only when the setting of the topic, or else of the run, allows it."""
    own = image.topics[topic].unclean_leader_election
    allowed = settings.unclean_leader_election if own is None else own
    return Election.UNCLEAN if allowed else Election.ONLINE


def write_partition(
    batch: Batch,
    topic_partition: TopicPartition,
    state: PartitionState,
    why: str,
    unclean: bool,
    decision: Decision,
    asked_epochs: tuple[int, ...] = (),
) -> None:
    """Say and write the full state of one partition; `asked_epochs` as the event tells them."""
    batch.emit(decided(topic_partition, state, why, unclean, asked_epochs), decision)
    batch.write(PartitionRecord(topic=topic_partition.topic, partition=topic_partition.partition, state=state, why=why))


def decided(
    topic_partition: TopicPartition, state: PartitionState, why: str, unclean: bool, asked_epochs: tuple[int, ...]
) -> PartitionDecided:
    """The event of a decided state."""
    return PartitionDecided(
        topic=topic_partition.topic,
        partition=topic_partition.partition,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        partition_epoch=state.partition_epoch,
        isr=state.isr,
        elr=state.elr,
        replicas=state.replicas,
        min_insync_replicas=state.min_insync_replicas,
        why=why,
        unclean=unclean,
        leader_recovery_state="recovering" if state.recovering else "recovered",
        asked_epochs=asked_epochs,
        adding_replicas=state.adding_replicas,
        removing_replicas=state.removing_replicas,
    )


def goes_by_majority(image: MetadataImage, settings: Settings, topic: str) -> bool:
    """Whether a majority of the replicas commits this topic's records, rather than its ISR."""
    return commits_by_majority(image.topics[topic].own, settings)


def with_leader(before: PartitionState, leader: NodeId) -> PartitionState:
    """The same with another leader, or with none."""
    return replace(
        before, leader=leader, leader_epoch=before.leader_epoch + 1, partition_epoch=before.partition_epoch + 1
    )


def depose(batch: Batch, topic_partition: TopicPartition, why: str, decision: Decision) -> None:
    """End a leader's epoch by majority: the next has no leader until a majority has told where their logs end."""
    after = with_leader(batch.image.partitions[topic_partition], NO_NODE)
    write_partition(batch, topic_partition, after, why, False, decision)


def remove_from_isrs(
    batch: Batch, settings: Settings, broker_id: NodeId, why: str, *, lost_records: bool = False
) -> None:
    """Take a broker out of every ISR, moving its leaderships. Source: generateLeaderAndIsrUpdates.

    By majority it stays a replica like the others; a leader that has no majority without it is deposed.

    Args:
        lost_records: it stopped uncleanly; with ELR it leaves the eligible leader replicas too.
    """
    in_service = frozenset(batch.image.eligible_brokers())
    eligible = in_service - {broker_id}
    lost = frozenset({broker_id}) if lost_records and settings.elr else frozenset()
    for topic_partition, state in sorted(batch.image.partitions.items()):
        if goes_by_majority(batch.image, settings, topic_partition.topic):
            if state.leader != NO_NODE and broker_id in state.replicas:
                ruling = leads_on(state, in_service, broker_id)
                if not ruling.value:
                    depose(batch, topic_partition, why, ruling.decision)
            continue
        if broker_id not in state.isr and not (lost and broker_id in state.elr):
            continue
        target_isr = tuple(replica for replica in state.isr if replica != broker_id)
        _change(batch, settings, topic_partition, target_isr, eligible, why, lost)


def elect_for_leaderless(batch: Batch, settings: Settings, why: str, *, topic: str = "") -> None:
    """Look for leaders of leaderless partitions, of one topic or of all; others, and majorities, are left alone."""
    eligible = frozenset(batch.image.eligible_brokers())
    for topic_partition, state in sorted(batch.image.partitions.items()):
        is_meant = state.leader == NO_NODE and topic in ("", topic_partition.topic)
        if is_meant and not goes_by_majority(batch.image, settings, topic_partition.topic):
            _change(batch, settings, topic_partition, state.isr, eligible, why, frozenset())


def _change(
    batch: Batch,
    settings: Settings,
    topic_partition: TopicPartition,
    target_isr: tuple[NodeId, ...],
    eligible: frozenset[NodeId],
    why: str,
    lost: frozenset[NodeId],
) -> None:
    target = target_of(batch, settings, topic_partition, target_isr=target_isr, eligible=eligible, lost=lost)
    decide(batch, target, online_election(batch.image, settings, topic_partition.topic), why)
