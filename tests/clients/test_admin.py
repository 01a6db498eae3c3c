"""What admin clients change and look at, asked of any broker and decided by the active controller."""

from __future__ import annotations

import base64

import pytest

from cluster.kafka.apis.client_quotas import DESCRIBE_CLIENT_QUOTAS, ComponentData, DescribeClientQuotasRequest
from tests.support.clients.driver import WAIT_S
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.raw_client import RawClient
from tests.support.clients.whole import NUMBERS, items, new_topic
from tests.support.processes.watching import until

ck = pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
kafka = pytest.importorskip("kafka", reason="kafka-python is not installed: pip install -e '.[clients]'")
from confluent_kafka.admin import (  # noqa: E402  # only where the client is
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from kafka import KafkaAdminClient  # noqa: E402  # as above

from tests.support.clients.driver_confluent import Confluent  # noqa: E402  # as above


def admin_of(lab: LivingLab) -> AdminClient:
    """To be kept while it is used: its futures die with it."""
    return AdminClient({"bootstrap.servers": lab.bootstrap, "log_level": 2})


def leaders(lab: LivingLab, topic: str) -> dict[int, int]:
    return Confluent().describe(lab.bootstrap, topic)


def test_a_topic_is_made_once_and_with_what_brokers_there_are(lab: LivingLab) -> None:
    admin, name = admin_of(lab), f"a{next(NUMBERS)}"
    admin.create_topics([NewTopic(name, 2, 3)])[name].result(WAIT_S)
    with pytest.raises(ck.KafkaException, match="TOPIC_ALREADY_EXISTS"):
        admin.create_topics([NewTopic(name, 2, 3)])[name].result(WAIT_S)
    with pytest.raises(ck.KafkaException, match="INVALID_REPLICATION_FACTOR"):
        admin.create_topics([NewTopic(f"{name}-wide", 1, 9)])[f"{name}-wide"].result(WAIT_S)


def test_a_topic_grows(lab: LivingLab) -> None:
    admin, topic = admin_of(lab), new_topic(lab, 2)
    admin.create_partitions([NewPartitions(topic, 5)])[topic].result(WAIT_S)
    until(lambda: len(leaders(lab, topic)) == 5, what="the brokers have read of it")
    assert Confluent().produce(lab.bootstrap, topic, items(100)).failed == []


def test_a_setting_is_changed_and_told(lab: LivingLab) -> None:
    admin, topic = admin_of(lab), new_topic(lab)
    entry = ConfigEntry("min.insync.replicas", "3", incremental_operation=AlterConfigOpType.SET)
    change = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[entry])
    admin.incremental_alter_configs([change])[change].result(WAIT_S)

    def told() -> str:
        asked = ConfigResource(ConfigResource.Type.TOPIC, topic)
        return str(admin.describe_configs([asked])[asked].result(WAIT_S)["min.insync.replicas"].value)

    until(lambda: told() == "3", what="the broker has read of it")


def test_a_topic_with_append_times_tells_clients_the_times_of_its_brokers(lab: LivingLab) -> None:
    admin, topic = admin_of(lab), f"a{next(NUMBERS)}"
    config = {"message.timestamp.type": "LogAppendTime"}
    admin.create_topics([NewTopic(topic, 1, 3, config=config)])[topic].result(WAIT_S)
    until(lambda: len(leaders(lab, topic)) == 1, what="the brokers have read of it")
    told: list[tuple[int, int]] = []
    producer = ck.Producer({"bootstrap.servers": lab.bootstrap})
    producer.produce(topic, b"v", timestamp=1, on_delivery=lambda error, message: told.append(message.timestamp()))
    assert producer.flush(WAIT_S) == 0
    consumer = ck.Consumer({"bootstrap.servers": lab.bootstrap, "group.id": topic})
    consumer.assign([ck.TopicPartition(topic, 0, 0)])
    found = consumer.poll(WAIT_S)
    consumer.close()
    assert found is not None and found.value() == b"v"
    assert found.timestamp()[0] == ck.TIMESTAMP_LOG_APPEND_TIME and found.timestamp()[1] > 1_700_000_000_000
    assert told == [found.timestamp()]


@pytest.mark.first
def test_the_quorum_is_described(lab: LivingLab) -> None:
    admin = KafkaAdminClient(bootstrap_servers=lab.bootstrap.split(","))
    told = admin.describe_metadata_quorum()
    admin.close()
    partition = told["topics"][0]["partitions"][0]
    voters = {each["replica_id"] for each in partition["current_voters"]}
    assert (voters, partition["leader_id"] in voters) == ({101, 102, 103}, True)


def test_a_preferred_leader_comes_back_by_an_election(lab: LivingLab) -> None:
    topic = new_topic(lab, 1)
    (leader,) = leaders(lab, topic).values()
    lab.do(f"kill {leader}")
    until(lambda: leaders(lab, topic)[0] not in (leader, -1), what="another leader")
    lab.do(f"start {leader}")
    admin, where = admin_of(lab), [ck.TopicPartition(topic, 0)]

    def elected() -> bool:
        told = admin.elect_leaders(ck.ElectionType.PREFERRED, where).result(WAIT_S)
        return all(error is None or error.code() == ck.KafkaError.ELECTION_NOT_NEEDED for error in told.values())

    until(elected, what="the old leader is in sync and elected")
    until(lambda: leaders(lab, topic)[0] == leader, what="the brokers have read of it")


def test_the_cluster_is_described_with_brokers_that_clients_can_reach(lab: LivingLab) -> None:
    admin = admin_of(lab)
    found = admin.describe_cluster().result(WAIT_S)
    assert {(node.id, node.host, node.port) for node in found.nodes} == {
        (node, "127.0.0.1", port) for node, port in lab.ports.items()
    }
    assert (len(found.cluster_id), len(base64.urlsafe_b64decode(found.cluster_id + "=="))) == (22, 16)


def test_kafka_python_takes_a_broker_for_kafka_4_1(lab: LivingLab) -> None:
    """By the versions of the requests that it serves; what it may ask of it follows from that."""
    consumer = kafka.KafkaConsumer(bootstrap_servers=lab.bootstrap, client_id="matrix-version")
    try:
        assert consumer.config["api_version"] == (4, 1)
    finally:
        consumer.close()


def test_there_are_no_users_of_scram_and_none_is_added(lab: LivingLab) -> None:
    admin = admin_of(lab)
    assert admin.describe_user_scram_credentials().result(WAIT_S) == {}
    with pytest.raises(ck.KafkaException, match="RESOURCE_NOT_FOUND"):
        admin.describe_user_scram_credentials(["ann"])["ann"].result(WAIT_S)
    sha = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096)
    adding = UserScramCredentialUpsertion("ann", sha, b"secret", b"salt")
    with pytest.raises(ck.KafkaException, match="UNSUPPORTED_SASL_MECHANISM"):
        admin.alter_user_scram_credentials([adding])["ann"].result(WAIT_S)
    python = KafkaAdminClient(bootstrap_servers=lab.bootstrap.split(","))
    assert not python.describe_user_scram_credentials()
    python.close()


def test_there_are_no_quotas_of_clients(lab: LivingLab) -> None:
    asked = DescribeClientQuotasRequest([ComponentData("user", 2, None)])
    with RawClient(next(iter(lab.ports.values()))) as client:
        assert client.ask(DESCRIBE_CLIENT_QUOTAS, 1, asked).entries == []
