"""What Kafka refuses of listeners, roles and voters; Kafka's own StorageTool is asked too, where its jars are."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from judges.apache_kafka.jars import KAFKA, jars_of
from workbench.cli.server_properties import mistakes

BASES = {
    "combined": "process.roles=broker,controller\nnode.id=1\nlisteners=PLAINTEXT://:9092,CONTROLLER://:9093\n",
    "broker": "process.roles=broker\nnode.id=2\nlisteners=PLAINTEXT://:9092\n",
    "controller": "process.roles=controller\nnode.id=1\nlisteners=CONTROLLER://:9093\n",
}
ALL = "controller.quorum.voters=1@localhost:9093\ncontroller.listener.names=CONTROLLER\n"
MAP, NAMES, ADVERTISED = "listener.security.protocol.map", "controller.listener.names", "advertised.listeners"
INNER, SAFE = "inter.broker.listener.name", "security.inter.broker.protocol"
WITH_MAP = f"{MAP}=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,INTERNAL:PLAINTEXT"
WITH_SASL = f"{MAP}=S:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT {INNER}=S listeners=S://:9092"
REFUSED = [
    ("combined", f"{MAP}=PLAINTEXT:PLAINTEXT,CONTROL:PLAINTEXT", "listener CONTROLLER has no protocol"),
    ("combined", f"{MAP}=CONTROLLER", "'CONTROLLER' is not NAME:PROTOCOL"),
    ("combined", f"{MAP}=PLAINTEXT:PLAIN,CONTROLLER:PLAINTEXT", "'PLAINTEXT:PLAIN' is not NAME:PROTOCOL"),
    ("combined", "listeners=PLAINTEXT://:9092,SSL://:9094,CONTROLLER://:9093", "beside SSL and SASL"),
    ("combined", "listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://:9093", "nobody reaches PLAINTEXT at 0.0.0.0"),
    ("combined", f"{ADVERTISED}=PLAINTEXT://0.0.0.0:9092", "nobody reaches PLAINTEXT at 0.0.0.0"),
    ("combined", f"{ADVERTISED}=PLAINTEXT://h:9092,CONTROLLER://0.0.0.0:9093", "nobody reaches CONTROLLER"),
    ("combined", f"{ADVERTISED}=CONTROLLER://h:9093", "no listener for clients"),
    ("combined", f"{ADVERTISED}=h:9092", "'h:9092' is not NAME://host:port"),
    ("combined", "listeners=CONTROLLER://:9093", "no listener for clients"),
    ("combined", "listeners=PLAINTEXT://:9093,CONTROLLER://:9093", "PLAINTEXT and CONTROLLER have one port, 9093"),
    ("combined", "listeners=://:9092,CONTROLLER://:9093", "'://:9092' is not NAME://host:port"),
    ("combined", f"{NAMES}=", "controller.listener.names is missing"),
    ("combined", f"{NAMES}=CONTROLLER,CONTROLLER", "CONTROLLER stands there twice"),
    ("combined", f"{NAMES}=CONTROLLER,OTHER", "no listener OTHER, which controller.listener.names promises"),
    ("combined", f"{WITH_MAP} {NAMES}=controller", "in capital letters"),
    ("combined", f"{INNER}=CONTROLLER", "CONTROLLER is for controllers alone"),
    ("combined", f"{INNER}=INTERNAL", "listener 'INTERNAL' has no protocol"),
    ("combined", f"{INNER}=PLAINTEXT {SAFE}=PLAINTEXT", "only one of the two may"),
    ("combined", f"{SAFE}=SSL", "no listener SSL is there for the other brokers"),
    ("combined", "early.start.listeners=OTHER", "listener OTHER is not among listeners"),
    ("broker", f"{WITH_MAP} listeners=INTERNAL://:9092", "security.inter.broker.protocol is missing"),
    ("broker", f"{ADVERTISED}=PLAINTEXT://h:9092,SSL://h:9094 {WITH_MAP}", "listener SSL is not among listeners"),
    ("broker", f"{ADVERTISED}=PLAINTEXT://h:9092,PLAINTEXT://i:9092", "listener PLAINTEXT stands there twice"),
    ("broker", f"{MAP}=PLAINTEXT:PLAINTEXT", "controller.listener.names: listener CONTROLLER has no protocol"),
    ("broker", "listeners=PLAINTEXT://:9092,CONTROLLER://:9093", "a broker alone opens no listener"),
    ("broker", f"{WITH_MAP} listeners=PLAINTEXT://127.0.0.1:1,SSL://127.0.0.2:1", "PLAINTEXT and SSL have one port"),
    ("broker", f"{WITH_SASL} sasl.enabled.mechanisms=PLAIN", "GSSAPI is not among sasl.enabled.mechanisms"),
    ("broker", "node.id=1", "node 1 has no controller role"),
    ("broker", "controller.quorum.voters=1@localhost:99999", "'1@localhost:99999' is not id@host:port"),
    (
        "controller",
        f"{MAP}=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT listeners=CONTROLLER://:1,PLAINTEXT://:2",
        "and not",
    ),
    ("controller", f"{INNER}=CONTROLLER", "CONTROLLER is for controllers alone"),
    ("controller", f"{ADVERTISED}=CONTROLLER://0.0.0.0:9093", "nobody reaches CONTROLLER at 0.0.0.0"),
    ("controller", "node.id=7", "controller 7 is not among them"),
    ("controller", "node.id=-1", "node.id is a number from 0 on"),
    ("controller", "broker.id=7", "says another one"),
    ("controller", "process.roles=controller,controller", "process.roles: 'controller,controller'"),
    ("controller", "process.roles=controller,,broker", "process.roles: 'controller,,broker'"),
    ("controller", "controller.quorum.voters=1@localhost:9093,", "'' is not id@host:port"),
]
TAKEN = [
    ("combined", ""),
    ("combined", f"{ADVERTISED}=PLAINTEXT://h:9092,CONTROLLER://h:9093"),
    ("combined", "listeners=PLAINTEXT://:9092,CONTROLLER://0.0.0.0:9093"),
    ("combined", "listeners=plaintext://:9092,controller://:9093"),
    ("combined", f"{MAP}=controller:plaintext,plaintext:plaintext"),
    ("combined", f"{MAP}=CONTROLLER:SASL_PLAINTEXT,PLAINTEXT:PLAINTEXT"),
    ("combined", f"{INNER}=plaintext"),
    ("combined", "broker.id=1"),
    ("combined", "node.id=01"),
    ("combined", "controller.quorum.voters=1@::1:9093"),
    ("broker", ""),
    ("broker", f"{NAMES}=CONTROLLER,OTHER"),
    ("broker", f"{WITH_MAP} {INNER}=INTERNAL listeners=INTERNAL://:9092"),
    ("broker", f"{WITH_MAP} listeners=PLAINTEXT://127.0.0.1:1,SSL://[::1]:1"),
    ("broker", f"{WITH_MAP} listeners=PLAINTEXT://:0,SSL://:0"),
    ("broker", f"{WITH_SASL} listener.name.s.sasl.enabled.mechanisms=PLAIN sasl.mechanism.inter.broker.protocol=PLAIN"),
    ("controller", ""),
    ("controller", "listeners=CONTROLLER://0.0.0.0:9093"),
    ("controller", f"{ADVERTISED}=PLAINTEXT://h:9092"),
    ("controller", f"{SAFE}=SSL"),
]
LATER = [
    ("combined", "listeners=PLAINTEXT://:99999,CONTROLLER://:9093", "a port is a number from 0 to 65535"),
    ("combined", "controller.quorum.voters=1@0.0.0.0:9093", "nobody reaches 1@0.0.0.0:9093"),
    ("broker", "controller.quorum.voters=1@h:9093,1@i:9093", "an id is named twice"),
]
"""What Kafka takes as it formats, and what a node stops at as it starts, or what does nothing."""


def settings(base: str, changes: str) -> str:
    lines = (BASES[base] + ALL).splitlines() + changes.split()
    values = dict(line.split("=", 1) for line in lines)
    return "".join(f"{name}={value}\n" for name, value in values.items())


@pytest.mark.parametrize(("base", "changes", "reason"), [*REFUSED, *LATER])
def test_what_kafka_refuses_is_told_once(base: str, changes: str, reason: str) -> None:
    (only,) = mistakes(settings(base, changes))
    assert reason in only.text, only


@pytest.mark.parametrize(("base", "changes"), TAKEN)
def test_what_kafka_takes_is_not_told(base: str, changes: str) -> None:
    assert mistakes(settings(base, changes)) == []


def test_what_somebody_else_puts_in_is_not_judged() -> None:
    assert mistakes(settings("combined", f"{ADVERTISED}=PLAINTEXT://${{env:HOST}}:9092")) == []
    assert mistakes(settings("broker", "node.id=${env:NODE}")) == []


@pytest.mark.skipif(not os.environ.get(KAFKA), reason=f"{KAFKA} names no folder with the jars of Apache Kafka")
@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK: a small program asks StorageTool many times")
def test_storage_tool_says_the_same_of_each_of_these_and_of_their_mixtures(tmp_path: Path) -> None:
    mixed = itertools.product(
        BASES,
        ("", "listeners=A://:1,B://0.0.0.0:2", "listeners=A://:1", "listeners=B://h:2,PLAINTEXT://:3"),
        ("", f"{MAP}=A:PLAINTEXT,B:PLAINTEXT,PLAINTEXT:PLAINTEXT", f"{MAP}=A:SSL,B:SASL_SSL"),
        ("", f"{NAMES}=A", f"{NAMES}=B,A", f"{NAMES}=PLAINTEXT"),
        ("", f"{ADVERTISED}=A://h:1", f"{ADVERTISED}=A://h:1,B://i:1", f"{ADVERTISED}=PLAINTEXT://0.0.0.0:3"),
        ("", f"{INNER}=A", f"{INNER}=B", f"{SAFE}=SSL"),
    )
    cases = [*((base, changes) for base, changes, _ in REFUSED), *TAKEN]
    cases += [(base, " ".join(changes)) for base, *changes in mixed]
    files = [tmp_path / str(number) for number in range(len(cases))]
    for file, case in zip(files, cases, strict=True):
        file.write_text(f"{settings(*case)}log.dirs={file}.logs\n")
    jars = jars_of(None)
    program = Path(__file__).with_name("Formats.java")
    done = subprocess.run(
        [jars.java, "-cp", jars.class_path, program, *files], capture_output=True, text=True, check=True
    )
    refused = dict(line.split("\t") for line in done.stdout.splitlines())
    different = [
        (case, refused[file.name], [each.text for each in mistakes(settings(*case))])
        for file, case in zip(files, cases, strict=True)
        if bool(refused[file.name]) != bool(mistakes(settings(*case)))
    ]
    assert different == []
