"""A metadata image as the records that rebuild it, which is what a snapshot holds, and as a digest to compare it by.

Source: Kafka MetadataImage.write, ClusterImage, TopicsImage, ConfigurationsImage, ProducerIdsImage.
"""

from __future__ import annotations

from collections.abc import Iterable

import google_crc32c

from cluster.controller.image import MetadataImage
from cluster.model.codec import pack
from cluster.model.identifiers import NO_NODE, Offset
from cluster.model.metadata_records import (
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    MetadataRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    TopicRecord,
)

IN_SNAPSHOT = "as of the snapshot"
"""Why a partition is as it is, as its record in a snapshot tells it: the decisions are not kept."""


def image_records(image: MetadataImage) -> list[MetadataRecord]:
    """In an order that follows from the content alone, so that equal images make equal snapshots."""
    records: list[MetadataRecord] = [
        RemoveTopicRecord(topic=topic, topic_id=-1) for topic in sorted(image.deleted_topics)
    ]
    for broker_id, broker in sorted(image.brokers.items()):
        epoch = broker.broker_epoch
        records.append(
            RegisterBrokerRecord(
                broker_id=broker_id, incarnation_id=broker.incarnation_id, broker_epoch=epoch, fenced=broker.fenced
            )
        )
        if broker.in_controlled_shutdown:
            leaving = BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=epoch, controlled_shutdown=1)
            records.append(leaving)
    for name, topic in sorted(image.topics.items()):
        least = topic.min_insync_replicas
        records.append(TopicRecord(topic=name, topic_id=topic.topic_id, min_insync_replicas=least))
        records += [ConfigRecord(topic=name, config=config, value=value) for config, value in sorted(topic.own.items())]
    records += [
        PartitionRecord(topic=where.topic, partition=where.partition, state=state, why=IN_SNAPSHOT)
        for where, state in sorted(image.partitions.items())
    ]
    if image.next_producer_id:
        next_id = image.next_producer_id
        records.append(ProducerIdsRecord(broker_id=NO_NODE, broker_epoch=-1, next_producer_id=next_id))
    return records


def rebuild_image(records: Iterable[MetadataRecord], end_offset: Offset) -> MetadataImage:
    """The image that these records make, as of end_offset (exclusive). UnfitRecordError when they do not fit.

    A broker counts as registered at the last record that the snapshot stands for, as in Kafka: the record of its
    registration may be long gone.
    """
    image = MetadataImage()
    for record in records:
        image.apply(record, end_offset - 1)
    image.offset = end_offset - 1
    return image


def image_digest(image: MetadataImage) -> str:
    """CRC-32C, as hex, of all that an image says, but for where brokers registered: a snapshot does not keep that."""
    brokers = [
        (node, one.broker_epoch, one.incarnation_id, one.fenced, one.in_controlled_shutdown)
        for node, one in sorted(image.brokers.items())
    ]
    topics = [
        (name, one.topic_id, one.min_insync_replicas, one.unclean_leader_election, sorted(one.own.items()))
        for name, one in sorted(image.topics.items())
    ]
    partitions = [(*where, state) for where, state in sorted(image.partitions.items())]
    content = (image.offset, brokers, topics, partitions, sorted(image.deleted_topics), image.next_producer_id)
    return f"{google_crc32c.value(pack(content)):08x}"
