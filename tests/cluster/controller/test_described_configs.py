"""What topics and brokers are told to be set to."""

from __future__ import annotations

import pytest

from cluster.controller.described_configs import describe_configs
from cluster.model.errors import ErrorCode
from cluster.model.messages import AlterConfigsRequest, DescribeConfigsRequest
from cluster.model.messages.configs import BROKER, SET, TOPIC
from cluster.model.setting_definition import Kind
from cluster.model.settings import Settings, classroom_timing
from cluster.model.topic_settings import MIN_ISR, UNCLEAN
from tests.support.worlds.controller_driver import three_brokers


def test_the_settings_of_a_topic_are_told_with_where_they_come_from() -> None:
    driver = three_brokers(Settings(max_message_bytes=2_000_000), minimum=2)
    change = AlterConfigsRequest(resource_type=TOPIC, resource_name="orders", changes=((UNCLEAN, SET, "true"),))
    assert driver.ask(1001, change).error == 0
    request = DescribeConfigsRequest(resource_type=TOPIC, resource_name="orders")
    told = {name: rest for name, *rest in describe_configs(driver.image, driver.settings, request).configs}
    assert told[MIN_ISR] == ["2", 1, False, Kind.INT, ((MIN_ISR, "2", 1), (MIN_ISR, "1", 5))]
    assert told[UNCLEAN] == ["true", 1, False, Kind.BOOLEAN, ((UNCLEAN, "true", 1), (UNCLEAN, "false", 5))]
    assert told["retention.ms"] == ["-1", 5, False, Kind.LONG, (("log.retention.ms", "-1", 5),)]
    assert told["cleanup.policy"][3] == Kind.LIST
    assert told["max.message.bytes"] == ["2000000", 4, False, Kind.INT, (("message.max.bytes", "2000000", 4),)]


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [
        (TOPIC, "nothing", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (BROKER, "9", ErrorCode.INVALID_REQUEST),
        (BROKER, "one", ErrorCode.INVALID_REQUEST),
        (BROKER, "1" * 10_000, ErrorCode.INVALID_REQUEST),
        (BROKER, "\u0661", ErrorCode.INVALID_REQUEST),
        (3, "orders", ErrorCode.INVALID_REQUEST),
        (BROKER, "1", ErrorCode.NONE),
    ],
)
def test_only_what_is_there_has_settings(kind: int, name: str, error: ErrorCode) -> None:
    driver = three_brokers()
    request = DescribeConfigsRequest(resource_type=kind, resource_name=name)
    answer = describe_configs(driver.image, driver.settings, request)
    assert answer.error == error
    assert (answer.reason == "") == (error == 0) == bool(answer.configs)


def test_what_a_run_has_otherwise_than_kafka_comes_from_the_file() -> None:
    driver = three_brokers()
    request = DescribeConfigsRequest(resource_type=BROKER, resource_name="1")
    told = {name: rest for name, *rest in describe_configs(driver.image, classroom_timing(), request).configs}
    assert told["log.cleanup.policy"] == ["delete", 5, True, Kind.LIST, (("log.cleanup.policy", "delete", 5),)]
    assert told["replica.lag.time.max.ms"][:4] == ["5000", 4, True, Kind.LONG]
    assert told["offsets.topic.replication.factor"][3] == Kind.SHORT
    assert told["delete.topic.enable"][0] == "true"
