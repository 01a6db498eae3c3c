"""What a controller of ZooKeeper's era remembers, and what it decides. Source: Kafka ControllerContext, Election."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from cluster.controller.image import BrokerState, MetadataImage, TopicState
from cluster.controller.partition_changes import changed, online_election
from cluster.controller.rules.leader_election import Candidates, Election
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.model.ruling import Decision
from cluster.model.settings import Settings
from cluster.model.topic_settings import MIN_ISR, UNCLEAN
from cluster.zookeeper.rules.pushes import shrink_without


class Wanted(Struct, frozen=True, kw_only=True):
    """A decided state that is not written yet."""

    state: PartitionState
    """After the change; its partition epoch is the version that the znode will have."""
    why: str
    unclean: bool
    decision: Decision


class ControllerContext(Struct):
    """One controller's memory; empty while it is none."""

    settings: Settings
    image: MetadataImage
    """Brokers alive with their broker epochs, topics, partitions with the versions of their state znodes."""
    epoch: Epoch = 0
    """Controller epoch; 0 before it was controller."""
    epoch_version: int = -1
    """Of /controller_epoch as it wrote it."""
    is_active: bool = False

    def live(self) -> dict[NodeId, int]:
        """Brokers that have a session, with their broker epochs."""
        return {node: broker.broker_epoch for node, broker in sorted(self.image.brokers.items())}

    def set_live(self, brokers: dict[NodeId, int]) -> None:
        """As /brokers/ids says now; who is shutting down is so until its znode is another one."""
        brokers_before = self.image.brokers
        self.image.brokers = {
            node: brokers_before[node]
            if node in brokers_before and brokers_before[node].broker_epoch == epoch
            else _alive(epoch)
            for node, epoch in sorted(brokers.items())
        }

    def add_topic(self, topic: str, topic_id: int, own: dict[str, str]) -> None:
        """As its znodes say."""
        unclean = own.get(UNCLEAN)
        self.image.topics[topic] = TopicState(
            topic_id=topic_id,
            min_insync_replicas=int(own.get(MIN_ISR, "1")),
            unclean_leader_election=None if unclean is None else unclean == "true",
            own=own,
        )

    def remove_topic(self, topic: str) -> None:
        """A topic is deleted: it leaves the image with all its partitions."""
        self.image.topics.pop(topic, None)
        for where in [where for where in self.image.partitions if where.topic == topic]:
            del self.image.partitions[where]

    def blank(self, where: TopicPartition, replicas: tuple[NodeId, ...]) -> PartitionState:
        """A partition whose state znode was not read yet, or is none."""
        topic = self.image.topics[where.topic]
        return PartitionState(
            topic_id=topic.topic_id,
            replicas=replicas,
            isr=(),
            leader=NO_NODE,
            leader_epoch=-1,
            partition_epoch=-1,
            min_insync_replicas=max(1, min(topic.min_insync_replicas, len(replicas))),
        )

    def elect(self, where: TopicPartition, why: str, election: Election | None = None) -> Wanted | None:
        """A leader for a partition of which somebody who is alive may lead; None when nothing changes or nobody may.

        Source: Kafka Election.leaderForOffline, leaderForPreferredReplica, leaderForControlledShutdown.
        """
        state = self.image.partitions[where]
        eligible = frozenset(self.image.eligible_brokers())
        candidates = Candidates(
            state=state,
            target_isr=tuple(node for node in state.isr if node in eligible),
            target_elr=(),
            eligible=eligible,
            elr_enabled=False,
        )
        chosen = election or online_election(self.image, self.settings, where.topic)
        after, unclean, decision = changed(candidates, chosen, recovering=False)
        if after is None or after.leader == NO_NODE or after.leader == state.leader:
            return None
        epoch = state.leader_epoch + 1
        after = replace(after, leader_epoch=epoch, recovering=False, last_known_leader=NO_NODE, elr=())
        return Wanted(state=after, why=why, unclean=unclean, decision=decision)

    def without(self, where: TopicPartition, gone: frozenset[NodeId], why: str) -> Wanted | None:
        """After brokers died: another leader, or a smaller ISR; either counts the leader epoch up."""
        state = self.image.partitions[where]
        if state.leader in gone:
            elected = self.elect(where, why)
            if elected is not None:
                return elected
        elif not gone & set(state.isr):
            return None
        ruling = shrink_without(state, gone)
        if (ruling.value.leader, ruling.value.isr) == (state.leader, state.isr):
            return None
        return Wanted(state=ruling.value, why=why, unclean=False, decision=ruling.decision)


def _alive(broker_epoch: int) -> BrokerState:
    return BrokerState(broker_epoch=broker_epoch, incarnation_id="", fenced=False, registration_offset=-1)
