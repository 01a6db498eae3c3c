"""What records of the metadata log say."""

from __future__ import annotations

from typing import get_args

import pytest

from cluster.model.metadata_records import (
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    KRaftVersionRecord,
    LeaderChangeRecord,
    MetadataRecord,
    NoOpRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    TopicRecord,
    VotersRecord,
)
from cluster.model.metadata_words import words_of
from cluster.model.partition_state import PartitionState
from cluster.model.voters import Voter

STATE = PartitionState(
    replicas=(1, 2, 3), topic_id=1, leader=2,
    leader_epoch=1, partition_epoch=1, isr=(2, 3), elr=(), min_insync_replicas=2,
)  # fmt: skip
LEADERLESS = PartitionState(
    replicas=(1,), topic_id=1, leader=-1, leader_epoch=4, partition_epoch=5, isr=(), elr=(), min_insync_replicas=1,
)  # fmt: skip
SAID: list[tuple[MetadataRecord, str]] = [
    (RegisterBrokerRecord(broker_id=3, incarnation_id="x", broker_epoch=7), "broker 3 has registered, fenced"),
    (BrokerRegistrationChangeRecord(broker_id=3, broker_epoch=7, fenced=-1), "broker 3 is in service"),
    (BrokerRegistrationChangeRecord(broker_id=3, broker_epoch=7, fenced=1), "broker 3 is fenced"),
    (BrokerRegistrationChangeRecord(broker_id=3, broker_epoch=7, controlled_shutdown=1), "broker 3 leaves in order"),
    (TopicRecord(topic="hats", topic_id=1, min_insync_replicas=2), "topic hats exists, min.insync.replicas 2"),
    (PartitionRecord(topic="hats", partition=0, state=STATE, why="broker 1 fenced"),
     "hats-0 leader 2, epoch 1, ISR 2,3: broker 1 fenced"),
    (PartitionRecord(topic="hats", partition=0, state=LEADERLESS, why="x"), "hats-0 no leader, epoch 4, ISR nobody: x"),
    (LeaderChangeRecord(leader_id=101, voters=(101, 102), granting_voters=(101, 102)),
     "101 leads the quorum, votes of 101,102"),
    (NoOpRecord(), "nothing: an idle quorum shows that it can commit"),
    (ProducerIdsRecord(broker_id=1, broker_epoch=7, next_producer_id=2000),
     "broker 1 may give away producer ids below 2000"),
    (ConfigRecord(topic="hats", config="retention.ms", value="5"), "topic hats has retention.ms = 5"),
    (ConfigRecord(topic="hats", config="retention.ms", value=None), "topic hats has retention.ms = its default"),
    (RemoveTopicRecord(topic="hats", topic_id=1), "topic hats is deleted"),
    (KRaftVersionRecord(version=1), "kraft.version 1: the voters stand in this log"),
    (VotersRecord(voters=(Voter(101, "a"), Voter(102, "b"))), "the voters are 101,102"),
    (SnapshotHeaderRecord(version=0, end_offset=9, epoch=1, last_contained_log_timestamp_ms=0),
     "a snapshot of all below 9 begins"),
    (SnapshotFooterRecord(version=0), "the snapshot is whole"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "said"), SAID)
def test_a_record_says_one_clause(record: MetadataRecord, said: str) -> None:
    assert words_of(record) == said


def test_every_kind_is_told() -> None:
    assert {type(record) for record, _ in SAID} == set(get_args(MetadataRecord))
