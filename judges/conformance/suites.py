"""The suites: where each is found, how it is run against our brokers, and how its report is read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
Outcomes = dict[str, str]
"""Case to its outcome."""
KAFKA_VERSION = "4.1.0"
"""What our brokers are like."""


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite of a client."""

    name: str
    variable: str
    """Names the folder with a clone."""
    get: str
    """Where a clone comes from, and what else it needs."""
    marks: str
    """A path that must be in the clone."""
    command: Callable[[Path, Path], Sequence[str]]
    """What runs it: of the clone, and of the path for its report."""
    environment: Callable[[Sequence[str]], Mapping[str, str]]
    """How it learns of brokers, host:port each."""
    read: Callable[[Path], Outcomes]
    """Reads its report. ValueError for one that is none."""
    report_is_stdout: bool = False
    """The report is what it prints."""
    folder: str = "."
    """Where in the clone it is run."""
    timing: str = "kafka"
    """The timers of the brokers it is run against."""
    minutes: int = 20
    """After that it is ended, and what has no outcome counts as failed by itself."""


def python_of(clone: Path) -> str:
    """That of the clone's own .venv where there is one, since a suite needs packages of its own; else this one."""
    own = clone / ".venv" / "bin" / "python"
    return str(own) if own.is_file() else sys.executable


def _pytest(*words: str) -> Callable[[Path, Path], Sequence[str]]:
    def command(clone: Path, report: Path) -> Sequence[str]:
        return python_of(clone), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *words

    return command


def read_junit(path: Path) -> Outcomes:
    """The report of a run of pytest. ValueError when it is none."""
    try:
        root = ElementTree.parse(path).getroot()  # noqa: S314  # written by the suite that runs here anyway
    except (OSError, ElementTree.ParseError) as error:
        raise ValueError(f"no report: {error}") from error
    found: Outcomes = {}
    for case in root.iter("testcase"):
        kinds = {child.tag for child in case}
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name', '')}"
        bad = FAILED if kinds & {"failure", "error"} else SKIPPED if "skipped" in kinds else PASSED
        found[name] = FAILED if found.get(name) == FAILED else bad
    return found


def read_go(path: Path) -> Outcomes:
    """The events of `go test -json`. ValueError when there are none; a case without an end has failed."""
    names = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}
    found: Outcomes = {}
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        name, action = event.get("Test"), event.get("Action")
        if name and action == "run":
            found[name] = FAILED
        elif name and action in names:
            found[name] = names[action]
    if not found:
        raise ValueError("no report: nothing was run")
    return found


def read_cargo(path: Path) -> Outcomes:
    """What `cargo test` prints. ValueError when nothing was run."""
    words = {"ok": PASSED, "FAILED": FAILED, "ignored": SKIPPED}
    found: Outcomes = {}
    for line in path.read_text("utf-8", "replace").splitlines():
        if line.startswith("test ") and " ... " in line:
            name, _, word = line.removeprefix("test ").partition(" ... ")
            found[name.strip()] = words.get(word.split(",")[0].split(" ")[0].strip(), FAILED)
    if not found:
        raise ValueError("no report: nothing was run")
    return found


SUITES: tuple[Suite, ...] = (
    Suite(
        "kafka-python",
        "SUITE_KAFKA_PYTHON",
        "git clone https://github.com/dpkp/kafka-python; in its .venv pytest, pytest-timeout, pytest-mock and codecs",
        "test/integration/test_consumer_integration.py",
        _pytest("test/integration", "--timeout=120", "--timeout-method=signal"),  # its own way ends all cases
        lambda brokers: {"KAFKA_URI": f"kafka://{brokers[0]}", "KAFKA_VERSION": KAFKA_VERSION, "KAFKA_ROOT": "."},
        read_junit,
        timing="classroom",  # its own brokers let a member ask for a session of 3 s; Kafka's default is 6 s at least
    ),
    Suite(
        "confluent-kafka-python",
        "SUITE_CONFLUENT_KAFKA_PYTHON",
        "git clone https://github.com/confluentinc/confluent-kafka-python; in its .venv trivup, "
        "confluent-kafka[avro,json,protobuf,schemaregistry] and requirements/requirements-tests.txt",
        "tests/integration/admin/test_basic_operations.py",
        _pytest("tests/integration/admin", "tests/integration/consumer", "tests/integration/producer"),
        lambda brokers: {"BROKERS": ",".join(brokers)},
        read_junit,
    ),
    Suite(
        "franz-go",
        "SUITE_FRANZ_GO",
        "git clone https://github.com/twmb/franz-go; needs Go",
        "pkg/kgo/group_test.go",
        lambda _clone, _report: ("go", "test", "-json", "-count=1", "-timeout=15m", "."),
        lambda brokers: {
            "KGO_SEEDS": ",".join(brokers), "KGO_TEST_RF": "3", "KGO_TEST_RECORDS": "50000",
            "KGO_TEST_MAX_TOPIC_PARTS": "7",
        },
        read_go,
        report_is_stdout=True,
        folder="pkg/kgo",
    ),
    Suite(
        "rskafka",
        "SUITE_RSKAFKA",
        "git clone https://github.com/influxdata/rskafka; needs cargo",
        "tests/client.rs",
        lambda _clone, _report: ("cargo", "test", "--test", "client", "--test", "produce_consume", "--no-fail-fast"),
        lambda brokers: {
            "TEST_INTEGRATION": "1", "TEST_BROKER_IMPL": "kafka", "KAFKA_CONNECT": ",".join(brokers),
            "RUSTUP_TOOLCHAIN": os.environ.get("RUSTUP_TOOLCHAIN", "stable"),  # not the version that its clone pins
        },
        read_cargo,
        report_is_stdout=True,
    ),
)  # fmt: skip
