"""An image and the records that rebuild it say the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cluster.controller.image import MetadataImage
from cluster.controller.image_records import image_digest, image_records, rebuild_image
from cluster.model.identifiers import TopicPartition
from cluster.model.metadata_records import (
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    MetadataRecord,
    NoOpRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from cluster.model.partition_state import PartitionState
from cluster.model.topic_settings import MIN_ISR, UNCLEAN

STATE = PartitionState(
    topic_id=7, replicas=(1, 2), isr=(2,), elr=(1,), leader=2, leader_epoch=3, partition_epoch=5, min_insync_replicas=2
)
HISTORY: list[MetadataRecord] = [
    RegisterBrokerRecord(broker_id=1, incarnation_id="a", broker_epoch=0),
    RegisterBrokerRecord(broker_id=2, incarnation_id="b", broker_epoch=1),
    BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=0, fenced=-1),
    BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=0, controlled_shutdown=1),
    TopicRecord(topic="old", topic_id=6, min_insync_replicas=1),
    RemoveTopicRecord(topic="old", topic_id=6),
    TopicRecord(topic="gone", topic_id=5, min_insync_replicas=1),
    PartitionRecord(topic="gone", partition=0, state=STATE, why="created"),
    RemoveTopicRecord(topic="gone", topic_id=5),
    TopicRecord(topic="old", topic_id=7, min_insync_replicas=1),
    PartitionRecord(topic="old", partition=0, state=STATE, why="created"),
    ConfigRecord(topic="old", config=MIN_ISR, value="2"),
    ConfigRecord(topic="old", config=UNCLEAN, value="true"),
    ConfigRecord(topic="old", config="retention.ms", value="1"),
    ProducerIdsRecord(broker_id=1, broker_epoch=0, next_producer_id=2000),
    NoOpRecord(),
]


def _image(history: list[MetadataRecord]) -> MetadataImage:
    image = MetadataImage()
    for offset, record in enumerate(history):
        image.apply(record, offset)
    return image


def _said(image: MetadataImage) -> dict[str, object]:
    """All of it but where brokers registered."""
    said = {name: getattr(image, name) for name in MetadataImage.__slots__}
    said["brokers"] = {
        node: (one.broker_epoch, one.incarnation_id, one.fenced, one.in_controlled_shutdown)
        for node, one in image.brokers.items()
    }
    return said


@pytest.mark.parametrize("length", range(len(HISTORY) + 1))
def test_every_prefix_of_a_history_is_rebuilt(length: int) -> None:
    image = _image(HISTORY[:length])
    again = rebuild_image(image_records(image), length)
    assert _said(again) == _said(image)
    assert image_digest(again) == image_digest(image)


def test_a_broker_counts_as_registered_at_the_last_record_of_the_snapshot() -> None:
    image = rebuild_image(image_records(_image(HISTORY)), len(HISTORY))
    assert image.brokers[1].registration_offset == len(HISTORY) - 1


def test_images_that_are_equal_make_the_same_records_however_they_came_about() -> None:
    one, other = _image(HISTORY), _image(HISTORY[:1])
    for name in reversed(MetadataImage.__slots__):
        value = getattr(one, name)
        turned = dict(reversed(value.items())) if isinstance(value, dict) else value
        setattr(other, name, turned)
    assert image_records(other) == image_records(one)
    assert image_digest(other) == image_digest(one)


CHANGES: tuple[Callable[[MetadataImage], object], ...] = (
    lambda image: setattr(image, "offset", 99),
    lambda image: image.brokers.pop(2),
    lambda image: image.topics.pop("old"),
    lambda image: image.partitions.pop(TopicPartition("old", 0)),
    lambda image: image.deleted_topics.discard("gone"),
    lambda image: setattr(image, "next_producer_id", 0),
)


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_sees_every_part_of_an_image(change: Callable[[MetadataImage], object]) -> None:
    image = _image(HISTORY)
    before = image_digest(image)
    change(image)
    assert image_digest(image) != before
    assert len(CHANGES) == len(MetadataImage.__slots__)
