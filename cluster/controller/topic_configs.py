"""How a topic's settings are changed. Source: KIP-339, ConfigurationControlManager."""

from __future__ import annotations

from msgspec.structs import replace

from cluster.controller.batch import Batch
from cluster.controller.described_configs import effective, own_settings
from cluster.controller.partition_changes import elect_for_leaderless, write_partition
from cluster.controller.rules.topic_configs import alter_configs, effective_min_insync_replicas, wanted_settings
from cluster.controller.state import ControllerState
from cluster.model.events import TopicConfigChanged
from cluster.model.messages import AlterConfigsRequest, AlterConfigsResponse
from cluster.model.metadata_records import ConfigRecord
from cluster.model.ruling import Decision, Numbers
from cluster.model.topic_settings import MIN_ISR, SETTABLE, UNCLEAN


def on_alter_configs(state: ControllerState, batch: Batch, request: AlterConfigsRequest) -> AlterConfigsResponse:
    """Change settings of one topic, all or none; what follows for its partitions is written in the same batch.

    Another min.insync.replicas empties the eligible leader replicas, which held all only under the old one (KIP-966).
    Of a partition that has none no record is written, and its epoch stays.
    Where unclean elections become allowed, leaderless partitions get a leader at once; Kafka looks every five minutes
    (unclean.leader.election.interval.ms).
    """
    ruling = alter_configs(state.image, request)
    if not ruling.granted or request.validate_only:
        reason = "" if ruling.granted else ruling.reason
        return AlterConfigsResponse(error=ruling.value, reason=reason, leader_id=state.leader_id)
    topic = request.resource_name
    before = effective(state.image.topics[topic], state.settings)
    own, wanted = own_settings(state.image.topics[topic]), wanted_settings(state.image.topics[topic], request)
    for name in dict.fromkeys((*own, *wanted)):
        value = None if name not in wanted else SETTABLE[name].spelled(wanted[name])
        if value != own.get(name):
            write_config(batch, topic, name, value, before.get(name, ""), ruling.decision)
    after = effective(state.image.topics[topic], state.settings)
    if after[MIN_ISR] != before[MIN_ISR]:
        _change_min_isr(batch, topic, int(before[MIN_ISR]), int(after[MIN_ISR]))
    if after[UNCLEAN] == "true" and before[UNCLEAN] != "true":
        elect_for_leaderless(batch, state.settings, "unclean elections are allowed", topic=topic)
    return AlterConfigsResponse(leader_id=state.leader_id)


def write_config(batch: Batch, topic: str, name: str, value: str | None, before: str, decision: Decision) -> None:
    """Tell of one change and write it; None takes the default again."""
    numbers: Numbers = {"before": before, "after": "the default" if value is None else value}
    event = TopicConfigChanged(topic=topic, config=name, value=value or "", is_default=value is None)
    batch.emit(event, replace(decision, numbers=numbers))
    batch.write(ConfigRecord(topic=topic, config=name, value=value))


def _change_min_isr(batch: Batch, topic: str, before: int, minimum: int) -> None:
    for topic_partition, partition in sorted(batch.image.partitions.items()):
        if topic_partition.topic != topic or not partition.elr:
            continue
        factor = len(partition.replicas)
        ruling = effective_min_insync_replicas(minimum, factor, min(before, factor))
        after = replace(partition, elr=(), partition_epoch=partition.partition_epoch + 1)
        write_partition(batch, topic_partition, after, f"{MIN_ISR} is {minimum}", False, ruling.decision)
