"""What administrators' tools set and read of topics, brokers and folders, through two clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.model.errors import ErrorCode
from tests.support.clients.driver import WAIT_S
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.whole import NUMBERS, items
from tests.support.processes.watching import until

ck = pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
kafka = pytest.importorskip("kafka", reason="kafka-python is not installed: pip install -e '.[clients]'")
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic  # noqa: E402  # only where the client is
from kafka import KafkaAdminClient, TopicPartition  # noqa: E402  # as above
from kafka.admin import ConfigResource as Resource  # noqa: E402  # as above

from tests.support.clients.driver_confluent import Confluent  # noqa: E402  # as above


@pytest.fixture
def admin(lab: LivingLab) -> Iterator[Any]:
    made = KafkaAdminClient(bootstrap_servers=lab.bootstrap.split(","))
    yield made
    made.close()


def told(admin: Any, topic: str) -> dict[str, str]:
    """Every setting of a topic."""
    found = admin.describe_configs([Resource("TOPIC", topic)], config_filter="all")
    return {name: each["value"] for name, each in found["topic"][topic].items()}


def test_a_topic_is_made_with_settings_and_replicas_of_its_own(lab: LivingLab, admin: Any) -> None:
    name = f"t{next(NUMBERS)}"
    wanted = {"assignments": {0: [2, 3], 1: [3, 1]}, "configs": {"retention.ms": "60000", "cleanup.policy": "compact"}}
    admin.create_topics({name: wanted}, validate_only=True)
    assert name not in admin.list_topics()
    admin.create_topics({name: wanted})
    until(lambda: len(Confluent().describe(lab.bootstrap, name)) == 2, what="the brokers have read of it")
    until(lambda: name in admin.list_topics(), what="the asked broker has read of it")
    found = told(admin, name)
    assert (found["retention.ms"], found["cleanup.policy"], found["segment.ms"]) == ("60000", "compact", "604800000")


def test_a_bad_setting_is_told_in_words(lab: LivingLab) -> None:
    confluent = AdminClient({"bootstrap.servers": lab.bootstrap, "log_level": 2})
    name = f"t{next(NUMBERS)}"
    for config in ({"retention.ms": "soon"}, {"no.such": "1"}):
        with pytest.raises(ck.KafkaException, match=r"INVALID_CONFIG.*(no whole number|no setting)"):
            confluent.create_topics([NewTopic(name, 1, 3, config=config)])[name].result(WAIT_S)


def test_settings_are_given_all_at_once_by_older_tools(lab: LivingLab, admin: Any) -> None:
    name = f"t{next(NUMBERS)}"
    confluent = AdminClient({"bootstrap.servers": lab.bootstrap, "log_level": 2})
    confluent.create_topics([NewTopic(name, 1, 3, config={"retention.bytes": "5"})])[name].result(WAIT_S)
    change = ConfigResource(ConfigResource.Type.TOPIC, name, set_config={"retention.ms": "1000"})
    confluent.alter_configs([change])[change].result(WAIT_S)
    until(lambda: told(admin, name)["retention.ms"] == "1000", what="the broker has read of it")
    assert told(admin, name)["retention.bytes"] == "-1", "what was not named takes its default"


def test_a_broker_tells_where_it_listens(lab: LivingLab, admin: Any) -> None:
    found = admin.describe_configs([Resource("BROKER", "1")], include_synonyms=True, config_filter="all")
    listeners = found["broker"]["1"]["advertised.listeners"]
    assert listeners["value"] == f"PLAINTEXT://127.0.0.1:{lab.ports[1]}"


def test_folders_tell_the_size_of_logs(lab: LivingLab, admin: Any) -> None:
    name = f"t{next(NUMBERS)}"
    Confluent().create(lab.bootstrap, name)
    assert Confluent().produce(lab.bootstrap, name, items(50)).failed == []
    found = admin.describe_log_dirs([name])
    sizes = [
        partition["partition_size"]
        for broker in found
        for folder in broker["log_dirs"]
        for topic in folder["topics"]
        for partition in topic["partitions"]
    ]
    assert len(sizes) == 9 and max(sizes) > 0, "three partitions of three replicas"
    folders = {folder["log_dir"] for broker in found for folder in broker["log_dirs"]}
    assert folders == {str(Path(lab.folder) / "data" / str(broker)) for broker in lab.ports}


@pytest.mark.first
def test_replicas_move_to_other_brokers(lab: LivingLab, admin: Any) -> None:
    name = f"t{next(NUMBERS)}"
    admin.create_topics({name: {"assignments": {0: [1, 2]}}})
    until(lambda: len(Confluent().describe(lab.bootstrap, name)) == 1, what="the brokers have read of it")
    where = TopicPartition(name, 0)
    assert admin.alter_partition_reassignments({where: [2, 3]}) == {where: None}
    until(lambda: replicas_of(lab, name) == [2, 3], what="the move is done")
    assert admin.list_partition_reassignments() == {}
    (refused,) = admin.alter_partition_reassignments({where: None}).values()
    assert refused.errno == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    (refused,) = admin.alter_partition_reassignments({where: [2, 99]}).values()
    assert refused.errno == ErrorCode.INVALID_REPLICA_ASSIGNMENT


def replicas_of(lab: LivingLab, topic: str) -> list[int]:
    found = AdminClient({"bootstrap.servers": lab.bootstrap, "log_level": 2}).list_topics(topic, WAIT_S)
    replicas: list[int] = found.topics[topic].partitions[0].replicas
    return replicas


def test_what_stays_as_it_is_is_said(lab: LivingLab, admin: Any) -> None:
    assert "first" in admin.list_config_resources(["TOPIC"])["topic"]
    with pytest.raises(kafka.errors.KafkaError):
        admin.update_features({"metadata.version": 99})
