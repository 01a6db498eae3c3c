"""kcat, the command line of librdkafka."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable

from tests.support.clients.driver import WAIT_S, Item, Sent, Unable

BETWEEN = "\t"


class Kcat:
    """Driver of kcat. It says nothing of single records: all or an error."""

    name = "kcat"
    retries_safely = ""
    classic_only = "classic only: kcat 1.7.1 comes with librdkafka 2.0.2, older than KIP-848"

    def __init__(self) -> None:
        self._program = shutil.which("kcat") or shutil.which("kafkacat")
        if self._program is None:
            raise Unable("kcat is not installed (Debian: apt-get install kcat)")

    def _run(self, bootstrap: str, *arguments: str, fed: bytes = b"") -> str:
        assert self._program is not None
        command = [self._program, "-b", bootstrap, "-m", f"{WAIT_S:.0f}", *arguments]
        done = subprocess.run(command, input=fed, capture_output=True, timeout=2 * WAIT_S, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode()

    def create(self, bootstrap: str, topic: str) -> None:
        """It has no word for that; a topic is made by writing to it."""
        self._run(bootstrap, "-P", "-t", topic, fed=b"made by writing\n")

    def topics(self, bootstrap: str) -> set[str]:
        listed = self._run(bootstrap, "-L")
        return {line.split('"')[1] for line in listed.splitlines() if line.strip().startswith('topic "')}

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        told = json.loads(self._run(bootstrap, "-L", "-J", "-t", topic))
        return {each["partition"]: each["leader"] for each in told["topics"][0]["partitions"]}

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
        pairs = list(items)
        fed = b"".join(key + BETWEEN.encode() + value + b"\n" for key, value in pairs)
        settings = ["-X", f"acks={acks}", "-X", f"enable.idempotence={str(idempotent).lower()}", "-z", compression]
        # -E: it gives up by itself when all its connections are down at once. What is not delivered still exits with 1.
        self._run(bootstrap, "-P", "-E", "-t", topic, "-K", BETWEEN, *settings, fed=fed)
        return Sent([value for _, value in pairs])

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        """It reads to the high watermark, which comes after an acknowledgement by the leader alone: then once more."""
        del partitions
        deadline_s = time.monotonic() + WAIT_S
        while len(found := self._read_all(bootstrap, topic)) < count and time.monotonic() < deadline_s:
            continue
        return found

    def _read_all(self, bootstrap: str, topic: str) -> list[Item]:
        told = self._run(bootstrap, "-C", "-t", topic, "-o", "beginning", "-e", "-q", "-K", BETWEEN)
        lines = [line.partition(BETWEEN) for line in told.splitlines()]
        return [(key.encode(), value.encode()) for key, _, value in lines]

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> KcatMember:
        assert self._program is not None
        return KcatMember(self._program, bootstrap, topic, group, member)


class KcatMember:
    """A kcat -G beside the test."""

    def __init__(self, program: str, bootstrap: str, topic: str, group: str, member: str) -> None:
        settings = ["-X", "auto.offset.reset=earliest", "-X", f"client.id={member}", "-X", "session.timeout.ms=6000"]
        settings += ["-X", "heartbeat.interval.ms=300", "-X", "auto.commit.interval.ms=200"]
        self._process = subprocess.Popen(
            [program, "-b", bootstrap, *settings, "-u", "-q", "-f", "%p" + BETWEEN + "%s\n", "-G", group, topic],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

        self._pairs: list[tuple[int, bytes]] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            partition, _, value = line.rstrip(b"\n").partition(BETWEEN.encode())
            self._pairs.append((int(partition), value))

    @property
    def values(self) -> list[bytes]:
        return [value for _, value in self._pairs]

    @property
    def partitions(self) -> set[int]:
        """kcat does not say; those it has read from."""
        return {partition for partition, _ in self._pairs}

    def leave(self) -> None:
        self._process.terminate()
        self._process.wait(WAIT_S)
        self._thread.join(WAIT_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
