"""What stands in Kafka's znodes is read as Kafka writes it, and nonsense is told."""

from __future__ import annotations

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.zookeeper import paths

STATE = PartitionState(
    topic_id=7, replicas=(1, 2, 3), isr=(1, 2), leader=1, leader_epoch=4, partition_epoch=9, min_insync_replicas=1
)


def test_a_state_is_read_back_with_the_version_of_its_znode() -> None:
    data = paths.encode_state(STATE, 3)
    assert data == '{"controller_epoch":3,"leader":1,"version":1,"leader_epoch":4,"isr":[1,2]}'
    assert paths.decode_state(data, 9, STATE) == (STATE, 3)
    assert paths.state_path(TopicPartition("t", 0)) == "/brokers/topics/t/partitions/0/state"


def test_an_assignment_is_read_back() -> None:
    assignment = {0: (1, 2), 1: (2, 3)}
    assert paths.decode_assignment(paths.encode_assignment(assignment)) == assignment


@pytest.mark.parametrize("data", ["", "[]", "{", "{}", '{"partitions":{}}', '{"partitions":{"1":[1]}}',
                                  '{"partitions":{"0":["1"]}}', "[" * 100_000])  # fmt: skip
def test_an_assignment_that_is_none_is_told(data: str) -> None:
    with pytest.raises(paths.BadData):
        paths.decode_assignment(data)


@pytest.mark.parametrize("data", ["x", '{"brokerid":"1"}', '{"version":1}'])
def test_a_controller_that_is_none_is_told(data: str) -> None:
    with pytest.raises(paths.BadData):
        paths.decode_controller(data)


@pytest.mark.parametrize("config", ['{"min.insync.replicas":"abc"}', '{"commit.rule":"majority"}', '{"colour":"red"}'])
def test_settings_that_a_topic_of_this_era_cannot_have_are_told(config: str) -> None:
    with pytest.raises(paths.BadData):
        paths.decode_configs(f'{{"version":1,"config":{config}}}')
    assert paths.decode_configs('{"version":1,"config":{"min.insync.replicas":"2"}}') == {"min.insync.replicas": "2"}
