"""Processes of Apache Kafka, with a script in the place of Java: what is started, ended, and taken from a disk."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.model.settings import classroom_timing
from judges.apache_kafka.jars import Jars
from judges.apache_kafka.links import Links
from judges.apache_kafka.nodes import KafkaNodes
from judges.apache_kafka.properties import host_of
from workbench.support.refusal import Refusal

PORTS = {101: 19701, 1: 19702}
FORMATS = """#!/bin/sh
for word in "$@"; do
  case "$word" in *.properties) dir=$(sed -n 's/^log.dirs=//p' "$word");; format) formats=yes;; esac
done
[ "$formats" ] || exec sleep 60
echo features > "$dir/bootstrap.checkpoint"
"""


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[KafkaNodes]:
    java = tmp_path / "java"
    java.write_text(FORMATS)
    java.chmod(0o700)
    found = KafkaNodes(Jars(java, tmp_path, "4.1.2"), tmp_path, classroom_timing(), (101,), (1,), PORTS)
    yield found
    found.kill_all()


def links() -> Links:
    return Links(PORTS, {101: 1, 1: 2})


def test_every_node_gets_its_files_and_one_format_serves_all(nodes: KafkaNodes) -> None:
    nodes.format(links())
    assert (nodes.log_dir(1) / "bootstrap.checkpoint").read_text() == "features\n"
    meta = (nodes.log_dir(1) / "meta.properties").read_text()
    assert "node.id=1\n" in meta
    assert len(meta.splitlines()[-1].removeprefix("directory.id=")) == 22
    assert f"127.0.2.1 {host_of(101)}" in (nodes.folder / "1.hosts").read_text()


def test_a_format_that_fails_is_told_in_its_own_words(nodes: KafkaNodes) -> None:
    nodes.jars.java.write_text("#!/bin/sh\necho unknown feature >&2; exit 1\n")
    with pytest.raises(Refusal, match="does not format its disks: unknown feature"):
        nodes.format(links())


def test_a_java_that_does_not_start_is_told(nodes: KafkaNodes) -> None:
    nodes.jars.java.unlink()
    with pytest.raises(Refusal, match="Java does not start"):
        nodes.format(links())


def test_a_process_is_up_until_its_signal_has_ended_it(nodes: KafkaNodes) -> None:
    nodes.start(1)
    assert nodes.is_up(1)
    assert not nodes.is_up(101)
    nodes.signal(1, signal.SIGSTOP)
    assert nodes.is_up(1), "a paused process is there"
    nodes.signal(1, signal.SIGKILL)
    assert nodes.processes[1].wait(10) == -signal.SIGKILL
    nodes.signal(1, signal.SIGKILL)  # nothing is there to be killed


def test_what_a_stop_in_order_has_flushed_survives(nodes: KafkaNodes) -> None:
    (segment := nodes.log_dir(1) / "orders-0" / "00000000000000000000.log").parent.mkdir(parents=True)
    segment.write_text("before")
    nodes.note_flushed(1)
    segment.write_text("before and after")
    nodes.lose_power(1)
    assert segment.read_text() == "before"


def test_power_takes_the_records_of_partitions_and_leaves_the_metadata_log(nodes: KafkaNodes) -> None:
    for folder in ("orders-0", "__cluster_metadata-0"):
        place = nodes.log_dir(1) / folder
        place.mkdir(parents=True)
        for name in ("00000000000000000000.log", "00000000000000000000.index", "leader-epoch-checkpoint"):
            (place / name).write_text("x")
    nodes.lose_power(1)
    left = {str(path.relative_to(nodes.log_dir(1))) for path in nodes.log_dir(1).rglob("*") if path.is_file()}
    assert left == {
        "orders-0/leader-epoch-checkpoint", "__cluster_metadata-0/leader-epoch-checkpoint",
        "__cluster_metadata-0/00000000000000000000.log", "__cluster_metadata-0/00000000000000000000.index",
    }  # fmt: skip
