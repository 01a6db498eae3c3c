"""Compose files, and files of settings that are for somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.cli.properties_file import is_compose, meant_for, read_compose, read_properties
from workbench.cli.server_properties import examine_file, mistakes
from workbench.support.refusal import Refusal

COMPOSE = """\
x-common: &common
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT" # both plain
  KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
services:
  kafka1:
    image: apache/kafka:4.1.0
    ports: ["9092:9092"]
    environment:
      <<: *common
      "KAFKA_NODE_ID": "1"
      KAFKA_PROCESS_ROLES: 'broker,controller'
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka1:9093
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_HEAP_OPTS: -Xmx1G
      CLUSTER_ID: abc
  # The second one has its settings as a list.
  kafka2:
    environment:
      - KAFKA_CFG_NODE_ID=2
      - KAFKA_CFG_PROCESS_ROLES=broker
      - "KAFKA_CFG_CONTROLLER_QUORUM_VOTERS=1@kafka1:9093"
      - KAFKA_CFG_LISTENERS=PLAINTEXT://0.0.0.0:9092
      - KAFKA_CFG_CONTROLLER_LISTENER_NAMES=CONTROLLER
      - KAFKA_CFG_NODE__X___Y=z
  ui:
    environment:
      KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka1:9092
"""


def test_a_compose_file_is_read_by_service_with_what_it_merges() -> None:
    assert is_compose(COMPOSE)
    first, second = read_compose(COMPOSE)
    assert {name: value for name, (_, value) in first.items()} == {
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "node.id": "1",
        "process.roles": "broker,controller",
        "controller.quorum.voters": "1@kafka1:9093",
        "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
    }
    assert second["node.id"] == (19, "2")
    assert second["node_x-y"] == (24, "z"), "two underscores are one, three are a dash"


def test_the_settings_of_a_compose_file_are_judged_with_their_lines() -> None:
    assert [(each.line, each.text.partition(":")[0]) for each in mistakes(COMPOSE)] == [
        (22, "listeners"),
        (24, "node_x-y"),
    ]
    without = COMPOSE.replace("      KAFKA_PROCESS_ROLES: 'broker,controller'\n", "")
    assert any(each.line == 2 and "process.roles is missing" in each.text for each in mistakes(without))


def test_a_compose_file_without_a_broker_and_a_file_for_a_client_are_told_for_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "docker-compose.yml"
    path.write_text("services:\n  ui:\n    environment:\n      KAFKA_CLUSTERS_0_NAME: a\n")
    with pytest.raises(Refusal, match="no service sets KAFKA_PROCESS_ROLES") as refused:
        examine_file(path)
    assert refused.value.code == 4
    path.write_text("bootstrap.servers=127.0.0.1:9092\nacks=all\n")
    with pytest.raises(Refusal, match="is meant for a producer") as refused:
        examine_file(path)
    assert refused.value.code == 4


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("bootstrap.servers=a:1\nacks=all\nenable.idempotence=true", "a producer"),
        ("bootstrap.servers=a:1\ngroup.id=g", "a consumer"),
        ("bootstrap.servers=a:1", "a client"),
        ("bootstrap.servers=a:1\ngroup.id=g\nkey.converter=x", "a worker of Kafka Connect"),
        ("dataDir=/tmp\nclientPort=2181", "ZooKeeper"),
        ("process.roles=broker\nbootstrap.servers=a:1", ""),
        ("broker.id=1\ngroup.id=g", ""),
        ("something=else", ""),
    ],
)
def test_a_file_for_somebody_else_is_recognised(text: str, kind: str) -> None:
    assert meant_for(read_properties(text, [])) == kind
