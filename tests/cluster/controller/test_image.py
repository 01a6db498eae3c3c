"""The image is the sum of the records."""

from __future__ import annotations

import pytest

from cluster.controller.image import MetadataImage, UnfitRecordError
from cluster.model.metadata_records import BrokerRegistrationChangeRecord, NoOpRecord, RegisterBrokerRecord
from tests.support.worlds.controller_driver import ORDERS, three_brokers


def test_a_broker_registers_is_unfenced_and_leaves() -> None:
    image = MetadataImage()
    image.apply(RegisterBrokerRecord(broker_id=2, incarnation_id="a", broker_epoch=5), 5)
    assert (image.unfenced_brokers(), image.eligible_brokers()) == ((), {})
    image.apply(BrokerRegistrationChangeRecord(broker_id=2, broker_epoch=5, fenced=-1), 6)
    assert (image.unfenced_brokers(), image.eligible_brokers()) == ((2,), {2: 5})
    image.apply(BrokerRegistrationChangeRecord(broker_id=2, broker_epoch=5, controlled_shutdown=1), 7)
    assert (image.unfenced_brokers(), image.eligible_brokers()) == ((2,), {})
    image.apply(RegisterBrokerRecord(broker_id=2, incarnation_id="b", broker_epoch=8), 8)
    assert image.brokers[2].in_controlled_shutdown is False
    assert image.brokers[2].registration_offset == 8


def test_a_change_under_an_older_broker_epoch_is_impossible() -> None:
    image = MetadataImage()
    image.apply(RegisterBrokerRecord(broker_id=2, incarnation_id="a", broker_epoch=5), 5)
    with pytest.raises(UnfitRecordError, match="broker 2 changes under an older epoch"):
        image.apply(BrokerRegistrationChangeRecord(broker_id=2, broker_epoch=4, fenced=-1), 6)
    with pytest.raises(UnfitRecordError, match="broker 3 changes but never registered"):
        image.apply(BrokerRegistrationChangeRecord(broker_id=3, broker_epoch=4, fenced=-1), 6)


def test_a_copy_changes_on_its_own() -> None:
    driver = three_brokers()
    copied = driver.image.copy()
    driver.kill(1)
    assert copied.partitions[ORDERS].leader == 1
    assert copied.brokers[1].fenced is False


def test_a_no_op_moves_only_the_offset() -> None:
    image = MetadataImage()
    image.apply(NoOpRecord(), 3)
    assert (image.offset, image.brokers) == (3, {})
