"""A member of the newer protocol in a process of its own, so that a test can kill it: confluent-kafka, unmodified.

As a program: bootstrap, topic, group, client id, then pairs of settings.
Joins once it is told a line, and tells its partitions and values by the line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

CLOSE_S = 30.0


def main() -> None:
    """Read and commit until standard input is closed."""
    import confluent_kafka as ck  # only in the process that needs it

    bootstrap, topic, group, client_id, *more = sys.argv[1:]
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "client.id": client_id,
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
            "auto.commit.interval.ms": 200,
            "socket.timeout.ms": 3000,
            "topic.metadata.refresh.interval.ms": 1000,
            "reconnect.backoff.max.ms": 500,
        }
        | dict(zip(more[::2], more[1::2], strict=True))
    )
    tell("r")
    sys.stdin.readline()  # told to join
    consumer.subscribe([topic])
    ended = threading.Event()

    def end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=end, daemon=True).start()
    before: set[int] | None = None
    while not ended.is_set():
        message = consumer.poll(0.1)
        if message is not None:
            word = f"v {(message.value() or b'').decode()}" if message.error() is None else f"e {message.error()}"
            tell(word)
        now = {each.partition for each in consumer.assignment()}
        if now != before:
            before = now
            tell(f"p {','.join(map(str, sorted(now)))}")
    consumer.close()


def tell(line: str) -> None:
    """One line for the test."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class ConsumerProcess:
    """One member; reads until it leaves or is killed."""

    def __init__(self, bootstrap: str, topic: str, group: str, client_id: str, **settings: str) -> None:
        told = [item for key, value in settings.items() for item in (key.replace("_", "."), value)]
        command = [sys.executable, __file__, bootstrap, topic, group, client_id, *told]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )
        self.is_ready = False
        """Its process is there, and only waits until it is to join."""
        self.values: list[bytes] = []
        """What it has read, oldest first."""
        self.partitions: set[int] = set()
        """Its assignment now."""
        self.errors: list[str] = []
        """What the client told of."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            kind, _, text = line.rstrip("\n").partition(" ")
            if kind == "r":
                self.is_ready = True
            elif kind == "p":
                self.partitions = {int(part) for part in text.split(",") if part}
            elif kind == "v":
                self.values.append(text.encode())
            else:
                self.errors.append(text)

    def begin(self) -> None:
        """Join."""
        assert self._process.stdin is not None
        self._process.stdin.write("join\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL: it neither commits nor leaves."""
        self._process.kill()
        self._process.wait(CLOSE_S)
        self._reader.join(CLOSE_S)
        self.partitions = set()
        self._close()

    def leave(self) -> None:
        """Commit and leave in order."""
        if self._process.poll() is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(CLOSE_S)
        self._reader.join(CLOSE_S)
        self._close()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()


if __name__ == "__main__":
    main()
