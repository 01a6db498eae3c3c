"""The mistakes of a server.properties, those of the Arenadata document among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.cli.server_properties import examine_file, mistakes
from workbench.course.library import LESSONS
from workbench.support.refusal import Refusal

GOOD = """process.roles=controller
node.id=101
controller.quorum.bootstrap.servers=h1:9093,h2:9093
controller.listener.names=CONTROLLER
listeners=CONTROLLER://:9093
log.dirs=/data
metadata.log.dir=/data
"""
"""The metadata log may share a directory with data."""


def test_a_controller_of_a_dynamic_quorum_is_fine_and_so_is_a_shared_directory() -> None:
    assert mistakes(GOOD) == []
    static = GOOD.replace("bootstrap.servers=h1:9093,h2:9093", "voters=101@h1:9093,102@[::1]:9093")
    assert mistakes(static) == []


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("bootstrap.servers=h1:9093", "voters.roles=101@h1:9093", 3, "Kafka's name is controller.quorum.voters"),
        ("process.roles=controller", "process.roles=voter", 1, "process.roles: 'voter'"),
        ("process.roles=controller\n", "", 0, "process.roles is missing"),
        ("node.id=101", "node.id=first", 2, "node.id is a number"),
        ("node.id=101", "node.id=101\nbroker.id=1", 3, "broker.id: with process.roles"),
        ("bootstrap.servers=h1:9093,h2:9093", "voters=102@h1:9093", 3, "controller 101 is not among them"),
        ("bootstrap.servers=h1:9093,h2:9093", "voters=101@h1:9093,101@h2:9093", 3, "named twice"),
        ("bootstrap.servers=h1:9093,h2:9093", "voters=h1:9093", 3, "'h1:9093' is not id@host:port"),
        ("h1:9093,h2:9093", "101@h1:9093", 3, "'101@h1:9093' is not host:port"),
        ("controller.listener.names=CONTROLLER\n", "", 0, "controller.listener.names is missing"),
        ("listeners=CONTROLLER://:9093", "listeners=PLAINTEXT://:9092", 5, "no listener CONTROLLER"),
        ("log.dirs=/data\n", "log.dirs=/data\nzookeeper.connect=z:2181\n", 7, "ZooKeeper is gone since 4.0"),
        ("log.dirs=/data\n", "log.dirs\n", 0, ""),
        ("process.roles", "proces.roles", 1, "Kafka's name is process.roles"),
        ("node.id=101", "node.id=7\nnode.id=101", 2, "it stands again at line 3"),
    ],
)
def test_each_mistake_is_told_with_its_line(before: str, after: str, line: int, said: str) -> None:
    text = GOOD.replace(before, after)
    assert text != GOOD
    found = mistakes(text)
    if said:
        assert any(each.line == line and said in each.text for each in found), found


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("min.insync.replica=2", "Kafka's name is min.insync.replicas"),
        ("unclean.leader.election.enabled=true", "Kafka's name is unclean.leader.election.enable"),
        ("retention.ms=5", "Kafka's name is log.retention.ms"),
        ("inter.broker.protocol.version=3.3", "it is gone since 4.0"),
        ("garbage without a name", "garbage: Kafka has no such setting"),
        ("unclean.leader.election.enable=yes", "'yes': neither true nor false"),
        ("log.retention.ms=7days", "'7days': no whole number"),
        ("log.segment.bytes=10", "'10': 1048576 is the least"),
        ("message.max.bytes=3000000000", "too large for a number of 32 bits"),
        ("log.cleaner.min.cleanable.ratio=1.5", "1 is the most"),
        ("log.cleaner.min.cleanable.ratio=half", "'half': no number"),
        ("compression.type=rar", "one of uncompressed, zstd, lz4, snappy, gzip, producer"),
        ("log.cleanup.policy=delete,compress", "one of compact, delete"),
        ("compression.gzip.level=10", "9 is the most"),
    ],
)
def test_a_name_that_kafka_has_not_got_and_a_value_that_it_refuses(more: str, said: str) -> None:
    (found,) = mistakes(f"{GOOD}\n{more}\n")
    assert (found.line, said in found.text) == (9, True), found


@pytest.mark.parametrize(
    "more",
    [
        "compression.gzip.level=-1", "log.cleanup.policy=compact, delete", "log.retention.hours=168",
        "metadata.log.max.snapshot.interval.ms=3600000", "listener.name.internal.ssl.keystore.location=/k",
        "super.users=User:a", "my.plugin.setting=1", "num.io.threads=${env:THREADS}", "log.retention.ms=-1",
        "sasl.enabled.mechanisms=PLAIN,\\\n  SCRAM-SHA-256", "! log.retention.ms=x", "BROKER.x.y.z=1",
    ],
)  # fmt: skip
def test_what_kafka_takes_is_fine(more: str) -> None:
    assert mistakes(f"{GOOD}{more}\n") == []


def test_a_broker_neither_votes_nor_listens_for_controllers() -> None:
    text = GOOD.replace("=controller\n", "=broker\n").replace("bootstrap.servers=h1:9093,h2:9093", "voters=101@h1:9093")
    assert [each.line for each in mistakes(text)] == [3, 5]


def test_a_file_is_examined_whole_and_untrusted_text_is_made_visible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "server.properties"
    path.write_text(f"{GOOD}controller.quorum.\x1b[2Jx=1\n", "utf-8")
    assert examine_file(path) == 1
    printed = capsys.readouterr().out
    assert ":8: " in printed and "\x1b" not in printed
    path.write_text(GOOD, "utf-8")
    assert examine_file(path) == 0
    with pytest.raises(Refusal):
        examine_file(tmp_path / "nowhere")


def test_the_puzzle_of_the_course_has_the_mistakes_that_its_lesson_tells() -> None:
    lesson = (LESSONS / "17_building_and_changing_a_quorum" / "lesson.md").read_text("utf-8")
    shown = re.findall(r"^ \d (\S+=.*)$", lesson, re.MULTILINE)
    found = [(each.line, each.text) for each in mistakes("\n".join(shown))]
    assert [line for line, _ in found] == [0, 3, 5]
    assert "Kafka's name is controller.quorum.voters" in found[1][1] and "no listener CONTROLLER" in found[2][1]
    mended = "\n".join(shown).replace("voters.roles", "voters").replace("PLAINTEXT://:9092", "CONTROLLER://:93")
    assert mistakes(mended) == []
