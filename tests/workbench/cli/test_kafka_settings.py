"""Which names and values Kafka takes in a properties file."""

from __future__ import annotations

import pytest

from workbench.cli.kafka_settings import settings, wrong_name, wrong_value


def test_all_settings_are_there_with_their_types() -> None:
    assert len(settings()) > 300
    assert settings()["node.id"] == ("int", "[0,...]")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("node.id", ""),
        ("listener.name.internal.ssl.keystore.location", ""),
        ("my.plugin.setting", ""),
        ("proces.roles", "Kafka has no such setting; Kafka's name is process.roles"),
        ("zookeeper.connect", "ZooKeeper is gone since 4.0"),
        ("inter.broker.protocol.version", "it is gone since 4.0"),
    ],
)
def test_a_name_that_kafka_has_not_got_is_told_with_the_right_one(name: str, why: str) -> None:
    assert wrong_name(name) == why


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("node.id", "3", ""),
        ("node.id", "-1", "0 is the least"),
        ("node.id", "3.5", "no whole number"),
        ("node.id", "99999999999", "too large for a number of 32 bits"),
        ("node.id", "${env:ID}", ""),
        ("group.share.delivery.count.limit", "11", "10 is the most"),
        ("compression.gzip.level", "-1", ""),
        ("delete.topic.enable", "yes", "neither true nor false"),
        ("process.roles", "broker,controller", ""),
        ("process.roles", "boss", "one of broker, controller"),
        ("my.plugin.setting", "anything", ""),
    ],
)
def test_a_value_that_kafka_refuses_is_told_with_the_reason(name: str, value: str, why: str) -> None:
    assert wrong_value(name, value) == why
