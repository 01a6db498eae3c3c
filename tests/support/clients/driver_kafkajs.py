"""kafkajs, in a Node of its own; installed from npm below the user's cache when it is first needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.clients.driver import WAIT_S, Item, Sent, Unable, one_at_a_time

PINNED = "kafkajs@2.2.4"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kraft-workbench" / "kafkajs-2.2.4"
SCRIPT = Path(__file__).with_name("kafkajs_client.js")
INSTALL_S = 120


def _install(npm: str) -> None:
    if (CACHE / "node_modules" / "kafkajs").is_dir():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(CACHE), PINNED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    if done.returncode != 0:
        raise Unable(f"npm cannot install {PINNED}: {done.stderr[-200:]}")


class Kafkajs:
    """Driver of kafkajs."""

    name = "kafkajs"
    retries_safely = (
        "kafkajs 2.2 sends a batch again, under new sequence numbers, while the answer of another broker is still due "
        "(sendMessages.js)"
    )
    classic_only = "classic only: kafkajs 2.2 knows no newer protocol"

    def __init__(self) -> None:
        node, npm = shutil.which("node"), shutil.which("npm")
        if node is None or npm is None:
            raise Unable("Node with npm is not installed")
        self._node = node
        self._groups = count(1)
        with one_at_a_time(CACHE):
            _install(npm)

    def _start(self, **told: Any) -> subprocess.Popen[str]:
        environment = os.environ | {"NODE_PATH": str(CACHE / "node_modules"), "KAFKAJS_NO_PARTITIONER_WARNING": "1"}
        command = [self._node, str(SCRIPT), json.dumps(told)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def _run(self, items: Iterable[Item] = (), **told: Any) -> Any:
        process = self._start(**told)
        assert process.stdin is not None
        with process:
            for key, value in items:
                process.stdin.write(json.dumps([key.decode(), value.decode()]) + "\n")
            process.stdin.close()
            assert process.stdout is not None
            lines = [json.loads(line) for line in process.stdout]
            assert process.wait(WAIT_S) == 0
        return lines

    def create(self, bootstrap: str, topic: str) -> None:
        self._run(act="create", bootstrap=bootstrap, topic=topic)

    def topics(self, bootstrap: str) -> set[str]:
        return set(self._run(act="topics", bootstrap=bootstrap)[0])

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        return dict(self._run(act="describe", bootstrap=bootstrap, topic=topic)[0])

    def produce(
        self,
        bootstrap: str,
        topic: str,
        items: Iterable[Item],
        *,
        acks: int = -1,
        idempotent: bool = False,
        compression: str = "none",
    ) -> Sent:
        if compression not in ("none", "gzip"):
            raise Unable(f"kafkajs needs a plugin for {compression}")
        told = {"acks": acks, "idempotent": idempotent, "compression": compression}
        (sent,) = self._run(items, act="produce", bootstrap=bootstrap, topic=topic, **told)
        return Sent([value.encode() for value in sent["acknowledged"]], sent["failed"])

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        """It reads in groups only: a group of one."""
        del partitions
        member = KafkajsMember(
            self._start(act="consume", bootstrap=bootstrap, topic=topic, group=f"one-of-{topic}", name="reader")
        )
        member.wait_for(count)
        member.leave()
        return [(key.encode(), value.encode()) for _, key, value in member.records]

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> KafkajsMember:
        return KafkajsMember(self._start(act="consume", bootstrap=bootstrap, topic=topic, group=group, name=member))


class KafkajsMember:
    """One Node process that reads until its standard input ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.records: list[tuple[int, str, str]] = []
        self.partitions: set[int] = set()
        self._process = process
        self._grown = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def values(self) -> list[bytes]:
        return [value.encode() for _, _, value in self.records]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            with self._grown:
                if isinstance(told, dict):
                    self.partitions = set(told["assigned"])
                else:
                    self.records.append(tuple(told))
                self._grown.notify()

    def wait_for(self, how_many: int) -> None:
        with self._grown:
            self._grown.wait_for(lambda: len(self.records) >= how_many, WAIT_S)

    def leave(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(WAIT_S)
        self._thread.join(WAIT_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
