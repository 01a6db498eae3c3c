"""Rules about settings of topics."""

from __future__ import annotations

import pytest

from cluster.controller.image import TopicState
from cluster.controller.rules.topic_configs import alter_configs, effective_min_insync_replicas, wanted_settings
from cluster.model.errors import ErrorCode
from cluster.model.messages import AlterConfigsRequest
from cluster.model.messages.configs import APPEND, DELETE, SET, SUBTRACT, TOPIC
from tests.support.worlds.controller_driver import three_brokers


@pytest.mark.parametrize(("configured", "replicas", "effective"), [(2, 3, 2), (3, 3, 3), (5, 3, 3)])
def test_no_partition_asks_for_more_in_sync_replicas_than_it_has(
    configured: int, replicas: int, effective: int
) -> None:
    ruling = effective_min_insync_replicas(configured, replicas)
    assert (ruling.value, ruling.granted) == (effective, True)


def test_settings_of_a_topic_that_is_not_there_cannot_be_changed() -> None:
    request = AlterConfigsRequest(resource_type=TOPIC, resource_name="t", changes=(("min.insync.replicas", SET, "2"),))
    ruling = alter_configs(three_brokers().image, request)
    assert (ruling.value, ruling.reason) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic")


POLICY = "cleanup.policy"


@pytest.mark.parametrize(
    ("own", "operation", "value", "wanted"),
    [
        ("compact", SET, "delete", "delete"),
        ("compact", SET, None, ""),
        ("compact", DELETE, None, None),
        ("compact", APPEND, "delete", "compact,delete"),
        ("compact", APPEND, "compact,delete", "compact,delete"),
        ("compact", APPEND, None, "compact"),
        ("compact,delete", SUBTRACT, "delete", "compact"),
        ("compact,delete", SUBTRACT, None, "compact,delete"),
        (None, APPEND, "compact", "delete,compact"),
    ],
)
def test_a_list_takes_each_element_once_and_gives_it_back(
    own: str | None, operation: int, value: str | None, wanted: str | None
) -> None:
    topic = TopicState(topic_id=1, min_insync_replicas=1, own={} if own is None else {POLICY: own})
    request = AlterConfigsRequest(resource_type=TOPIC, resource_name="t", changes=((POLICY, operation, value),))
    assert wanted_settings(topic, request).get(POLICY) == wanted


@pytest.mark.parametrize(
    ("name", "operation", "reason"),
    [
        ("no.such.setting", DELETE, "there is no setting 'no.such.setting' of topics"),
        ("retention.ms", APPEND, "retention.ms is no list"),
        ("retention.ms", SUBTRACT, "retention.ms is no list"),
    ],
)
def test_why_a_setting_cannot_be_changed(name: str, operation: int, reason: str) -> None:
    image = three_brokers().image
    image.topics["t"] = TopicState(topic_id=1, min_insync_replicas=1)
    request = AlterConfigsRequest(resource_type=TOPIC, resource_name="t", changes=((name, operation, "5"),))
    ruling = alter_configs(image, request)
    assert (ruling.value, ruling.reason) == (ErrorCode.INVALID_CONFIG, reason)
