"""Kafka's own Java client, fetched by Maven into the user's cache when it is first needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from tests.support.clients.driver import WAIT_S, Item, Sent, Unable, one_at_a_time

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kraft-workbench" / "kafka-clients-3.9.1"
SOURCES = Path(__file__).with_name("java")
SOURCE = SOURCES / "MatrixClient.java"
CLASSES = CACHE / f"matrix-{sha256(SOURCE.read_bytes()).hexdigest()[:12]}"
"""Of this source: another clone's tests may run beside these with theirs."""
JARS = f"{CACHE}/*"
QUICK = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Most deeds are over before a second compiler would have paid for itself."""
INSTALL_S = 300


def _install(maven: str, compiler: str) -> None:
    if not (CACHE / "done").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        fetch = [maven, "-q", "-B", "-f", str(SOURCES / "pom.xml")]
        fetch += ["dependency:copy-dependencies", f"-DoutputDirectory={CACHE}"]
        done = subprocess.run(fetch, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        if done.returncode != 0:
            raise Unable(f"Maven cannot fetch kafka-clients: {done.stdout[-200:]}")
        (CACHE / "done").touch()
    if not CLASSES.exists():
        half_made = CLASSES.with_suffix(".part")
        half_made.mkdir(exist_ok=True)
        subprocess.run([compiler, "-cp", JARS, "-d", str(half_made), str(SOURCE)], check=True, timeout=INSTALL_S)
        half_made.rename(CLASSES)


class Java:
    """Driver of kafka-clients."""

    name = "java"
    retries_safely = ""
    classic_only = ""

    def __init__(self) -> None:
        tools = {name: shutil.which(name) for name in ("java", "javac", "mvn")}
        if missing := [name for name, path in tools.items() if path is None]:
            raise Unable(f"no {' and no '.join(missing)} on this machine")
        self._java = str(tools["java"])
        with one_at_a_time(CACHE):
            _install(str(tools["mvn"]), str(tools["javac"]))

    def start(self, *told: str) -> subprocess.Popen[str]:
        """One deed as a process."""
        command = [self._java, *QUICK, "-cp", f"{CLASSES}:{JARS}", "MatrixClient", *told]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _run(self, *told: str, items: Iterable[Item] = ()) -> list[str]:
        with self.start(*told) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for key, value in items:
                process.stdin.write(f"{key.decode()}\t{value.decode()}\n")
            process.stdin.close()
            lines = process.stdout.read().splitlines()
            assert process.wait(WAIT_S) == 0
        return lines

    def create(self, bootstrap: str, topic: str) -> None:
        self._run("create", bootstrap, topic)

    def topics(self, bootstrap: str) -> set[str]:
        return set(self._run("topics", bootstrap))

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        pairs = [line.partition("\t") for line in self._run("describe", bootstrap, topic)]
        return {int(index): int(leader) for index, _, leader in pairs}

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
        told = (str(acks), str(idempotent).lower(), compression)
        lines = [line.partition("\t") for line in self._run("produce", bootstrap, topic, *told, items=items)]
        return Sent(
            [rest.encode() for word, _, rest in lines if word == "ok"],
            [rest for word, _, rest in lines if word == "failed"],
        )

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        lines = self._run("consume", bootstrap, topic, str(partitions), str(count))
        parts = [line.partition("\t") for line in lines]
        return [(key.encode(), value.encode()) for key, _, value in parts]

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> JavaMember:
        return JavaMember(self.start("group", bootstrap, topic, group, member))

    def in_consumer_group(self, bootstrap: str, topic: str, group: str, member: str, **settings: str) -> JavaMember:
        told = [f"{key.replace('_', '.')}={value}" for key, value in settings.items()]
        return JavaMember(self.start("consumer-group", bootstrap, topic, group, member, *told))


class JavaMember:
    """One Java process that reads until something comes on its standard input."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.values: list[bytes] = []
        self.partitions: set[int] = set()
        self.is_ready = False
        self._process = process
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, _, rest = line.rstrip("\n").partition("\t")
            if word == "ready":
                self.is_ready = True
            elif word == "assigned":
                self.partitions = {int(part) for part in rest.split(",") if part}
            else:
                self.values.append(rest.partition("\t")[2].encode())

    def begin(self) -> None:
        """Join, of the newer protocol."""
        assert self._process.stdin is not None
        self._process.stdin.write("join\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self.leave()

    def leave(self) -> None:
        if self._process.poll() is None:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write("leave\n")
                self._process.stdin.close()
        try:
            self._process.wait(WAIT_S)
        finally:
            self._process.kill()
        self._thread.join(WAIT_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
