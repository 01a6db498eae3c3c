"""What happens to partitions when a broker is fenced, unfenced, leaves or comes back as a new process."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.controller.batch import Batch
from cluster.controller.image import MetadataImage
from cluster.controller.rules.leader_election import (
    Candidates,
    Election,
    elect_leader,
    eligible_leader_replicas,
    isr_after_election,
)
from cluster.controller.rules.majority import elect_by_majority
from cluster.model.events import PartitionDecided
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.metadata_records import PartitionRecord
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Decision
from cluster.model.settings import Settings
from cluster.model.topic_settings import commits_by_majority


def changed(
    candidates: Candidates, election: Election, recovering: bool | None = None
) -> tuple[PartitionState | None, bool, Decision]:
    """Elect and build the state after the change. Source: PartitionChangeBuilder.build.

    Returns:
        The new state, or None when nothing changes; whether the election was unclean; the election's decision.
    """
    before = candidates.state
    ruling = elect_leader(candidates, election)
    choice = ruling.value
    members = isr_after_election(
        candidates, choice, recovering=before.recovering if recovering is None else recovering
    ).value
    last_known = NO_NODE
    if candidates.elr_enabled and choice.leader == NO_NODE:
        last_known = before.last_known_leader if before.leader == NO_NODE else before.leader
    after = replace(
        before,
        leader=choice.leader,
        leader_epoch=before.leader_epoch + (1 if choice.leader != before.leader else 0),
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
    )


def goes_by_majority(image: MetadataImage, settings: Settings, topic: str) -> bool:
    """Whether a majority of the replicas commits this topic's records, rather than its ISR."""
    return commits_by_majority(image.topics[topic].own, settings)


def with_leader(before: PartitionState, leader: NodeId) -> PartitionState:
    """The same with another leader, or with none."""
    return replace(
        before, leader=leader, leader_epoch=before.leader_epoch + 1, partition_epoch=before.partition_epoch + 1
    )


def depose(batch: Batch, topic_partition: TopicPartition, why: str) -> None:
    """End a leader's epoch by majority: the next has no leader until a majority has told where their logs end."""
    before = batch.image.partitions[topic_partition]
    decision = elect_by_majority(before, {}).decision
    write_partition(batch, topic_partition, with_leader(before, NO_NODE), why, False, decision)


def remove_from_isrs(
    batch: Batch, settings: Settings, broker_id: NodeId, why: str, *, lost_records: bool = False
) -> None:
    """Take a broker out of every ISR, moving its leaderships. Source: generateLeaderAndIsrUpdates.

    By majority it stays a replica like the others, and where it leads it is deposed.

    Args:
        lost_records: it stopped uncleanly; with ELR it leaves the eligible leader replicas too.
    """
    eligible = frozenset(batch.image.eligible_brokers()) - {broker_id}
    lost = frozenset({broker_id}) if lost_records and settings.elr else frozenset()
    for topic_partition, state in sorted(batch.image.partitions.items()):
        if goes_by_majority(batch.image, settings, topic_partition.topic):
            if state.leader == broker_id:
                depose(batch, topic_partition, why)
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
    state = batch.image.partitions[topic_partition]
    candidates = Candidates(
        state=state,
        target_isr=target_isr,
        target_elr=eligible_leader_replicas(state, target_isr, settings.elr, lost).value,
        eligible=eligible,
        elr_enabled=settings.elr,
    )
    election = online_election(batch.image, settings, topic_partition.topic)
    after, unclean, decision = changed(candidates, election)
    if after is not None:
        write_partition(batch, topic_partition, after, why, unclean, decision)
