"""A lab of Apache Kafka without its jars: which commands it has, and what it says of the others."""

from pathlib import Path

import pytest

from cluster.lab import TimedLab
from cluster.model.settings import classroom_timing
from cluster.scenario.parse import parse_cluster
from judges.apache_kafka.jars import Jars
from judges.apache_kafka.lab import KafkaLab, made

JAVA = """#!/bin/sh
for word in "$@"; do
  case "$word" in *.properties) dir=$(sed -n 's/^log.dirs=//p' "$word");; format) formats=yes;; esac
done
[ "$formats" ] && { echo features > "$dir/bootstrap.checkpoint"; exit; }
exit 3
"""


def lab_with(java: Path) -> KafkaLab:
    plan = parse_cluster(["controllers=3", "brokers=2"])
    return made(Jars(java, java.parent, "4.1.2"), plan, classroom_timing(), controllers=1)


async def test_it_is_a_lab_whose_events_come_without_files(tmp_path: Path) -> None:
    lab = lab_with(tmp_path / "java")
    assert isinstance(lab, TimedLab)
    assert (lab.nodes.controllers, lab.nodes.brokers) == ((101,), (1, 2))
    await lab.close()


@pytest.mark.parametrize(
    ("command", "told"), [("tear 1 orders-0", "Apache Kafka has no 'tear'"), ("kil 1", "did you mean")]
)
async def test_what_it_cannot_do_is_refused(tmp_path: Path, command: str, told: str) -> None:
    lab = lab_with(tmp_path / "java")
    answer = await lab.send(command)
    assert not answer.ok
    assert told in answer.text
    await lab.close()


async def test_nodes_that_end_at_once_are_told_without_waiting(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text(JAVA)
    java.chmod(0o700)
    lab = lab_with(java)
    with pytest.raises(OSError, match="its brokers are not in service"):
        await lab.begin()
    await lab.close()
