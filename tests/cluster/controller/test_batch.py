"""A batch counts offsets, applies its records at once and keeps the order of effects."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.image import MetadataImage
from cluster.model.effects import Emit, Propose, Send
from cluster.model.events import ControllerActivated
from cluster.model.messages import CreateTopicResponse
from cluster.model.metadata_records import NoOpRecord, RegisterBrokerRecord

ANSWER = Send(1, CreateTopicResponse(), 3)


def test_each_record_has_the_next_offset_and_counts_at_once() -> None:
    image = MetadataImage()
    batch = Batch(image, 10)
    batch.write(NoOpRecord())
    batch.write(RegisterBrokerRecord(broker_id=1, incarnation_id="a", broker_epoch=10))
    assert (batch.end_offset, image.offset, image.brokers[1].registration_offset) == (12, 11, 11)


def test_events_come_before_the_proposal_that_holds_the_answers() -> None:
    batch = Batch(MetadataImage(), 10)
    batch.write(NoOpRecord())
    batch.emit(ControllerActivated(epoch=1))
    emit, propose = batch.effects((ANSWER,))
    assert isinstance(emit, Emit)
    assert propose == Propose((NoOpRecord(),), (ANSWER,))


def test_without_records_answers_go_at_once() -> None:
    assert Batch(MetadataImage(), 10).effects((ANSWER,)) == [ANSWER]
