"""Spark's Kafka source and sink, fetched by Maven into the user's cache when they are first needed."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.clients.driver import WAIT_S, Item, Unable, one_at_a_time
from tests.support.clients.driver_java import CACHE, INSTALL_S
from tests.support.clients.whole import KEYS
from workbench.analysis.java import find_java

NEWEST = "4.2.0"
"""Of the source, when there is none of Spark's own version: it came later to Maven Central than Spark to PyPI."""
HERE = Path(__file__).parent
SOURCES = HERE / "java" / "spark"
STAND_IN = "no-tokens.jar"
TOKENS = "org.apache.spark:spark-token-provider-kafka-0-10_2.13"


class Spark:
    """A Spark in a process of its own, on two cores of this machine."""

    def __init__(self, bootstrap: str) -> None:
        """Unable says what is missing."""
        java = find_java()
        if java is None or not java.serves:
            raise Unable("no Java 17 or newer")
        if importlib.util.find_spec("pyspark") is None:
            raise Unable("the analysis extra is not installed: make install-analysis")
        with one_at_a_time(CACHE):
            folder = _fetched()
        jars = ",".join(str(jar) for jar in sorted(folder.glob("*.jar")))
        self.made_of = folder.name.replace("-for-", " for Spark ") + (
            "; its token provider is not to be had, so nothing looks for logins" if (folder / STAND_IN).exists() else ""
        )
        """Which source, and for which Spark."""
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(HERE / "spark_client.py"), bootstrap, str(KEYS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ
            | {"PYSPARK_SUBMIT_ARGS": f"--jars {jars} pyspark-shell", "PYTHONPATH": str(HERE.parents[2])},
        )

    def write(self, topic: str, start: int, end: int) -> None:
        """Write the items from start (inclusive) to end (exclusive) as one batch."""
        self._ask("write", topic, start, end)

    def read(self, topic: str) -> list[Item]:
        """All records by a batch query, in order within each partition."""
        return _items(self._ask("read", topic))

    def follow(self, topic: str) -> None:
        """Begin a streaming query that reads the topic from its beginning."""
        self._ask("follow", topic)

    def followed_count(self) -> int:
        """Records that the streaming query has read."""
        return int(self._ask("count"))

    def end_following(self) -> list[Item]:
        """Stop the streaming query; what it has read, in order within each partition."""
        return _items(self._ask("end"))

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(2 * WAIT_S)

    def _ask(self, *told: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "Spark's process has ended"
        answer = json.loads(line)
        assert "failed" not in answer, answer["failed"]
        return answer["done"]


def _items(pairs: list[list[str]]) -> list[Item]:
    return [(key.encode(), value.encode()) for key, value in pairs]


def _fetched() -> Path:
    """The folder of the jars."""
    import pyspark

    folders = {
        version: CACHE.with_name(f"spark-sql-kafka-{version}-for-{pyspark.__version__}")
        for version in dict.fromkeys((pyspark.__version__, NEWEST))
    }
    for folder in folders.values():
        if (folder / "done").exists():
            return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise Unable("no mvn on this machine")
    for version, folder in folders.items():
        fetch = ["-f", str(SOURCES / "pom.xml"), f"-Dspark={version}", "dependency:copy-dependencies"]
        if not _run(maven, "-q", "-B", *fetch, f"-DoutputDirectory={folder}"):
            continue
        copy = ["dependency:copy", f"-Dartifact={TOKENS}:{version}", f"-DoutputDirectory={folder}"]
        if not _run(maven, "-q", "-B", *copy):
            _compile_stand_in(folder, Path(pyspark.__file__).parent / "jars")
        (folder / "done").touch()
        return folder
    raise Unable(f"Maven fetches spark-sql-kafka-0-10 neither in version {' nor in '.join(folders)}")


def _compile_stand_in(folder: Path, spark_jars: Path) -> None:
    javac, archiver = shutil.which("javac"), shutil.which("jar")
    if javac is None or archiver is None:
        raise Unable(f"{TOKENS} is not to be had, and there is no javac for what stands in for it")
    classes = folder / "classes"
    known = ":".join(str(jar) for jar in spark_jars.glob("*.jar"))
    sources = [str(source) for source in SOURCES.glob("*.java")]
    assert _run(javac, "-nowarn", "-cp", known, "-d", str(classes), *sources), (
        "what stands in for the token provider does not compile"
    )
    assert _run(archiver, "cf", str(folder / STAND_IN), "-C", str(classes), ".")


def _run(*command: str) -> bool:
    done = subprocess.run(command, capture_output=True, timeout=INSTALL_S, check=False, cwd=SOURCES)
    return done.returncode == 0
