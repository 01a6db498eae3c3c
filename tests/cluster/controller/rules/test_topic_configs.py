"""Rules about settings of topics."""

from __future__ import annotations

import pytest

from cluster.controller.rules.topic_configs import alter_configs, effective_min_insync_replicas
from cluster.model.errors import ErrorCode
from cluster.model.messages import AlterConfigsRequest
from cluster.model.messages.configs import SET, TOPIC
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
