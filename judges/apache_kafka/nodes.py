"""Processes of Apache Kafka: formatted, started, ended and paused by signals."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cluster.model.identifiers import METADATA, NodeId
from cluster.model.settings import Settings
from judges.apache_kafka.jars import Jars
from judges.apache_kafka.links import Links
from judges.apache_kafka.properties import CLUSTER_ID, NodePlan, host_of, meta_properties, server_properties
from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

FORMAT_SECONDS = 120
END_SECONDS = 60
JVM = ("-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
"""Small and quick to start: nodes stand beside one another on a learner's machine."""
BOOTSTRAP = "bootstrap.checkpoint"
MADE_ANEW = ("*.index", "*.timeindex", "*.snapshot", "*.txnindex")
"""Files beside a segment that a power loss takes: the next start makes them from what is left of it."""


@dataclass(slots=True)
class KafkaNodes:
    """The nodes of one cluster, by number."""

    jars: Jars
    folder: Path
    settings: Settings
    controllers: tuple[NodeId, ...]
    brokers: tuple[NodeId, ...]
    ports: Mapping[NodeId, int]
    processes: dict[NodeId, subprocess.Popen[bytes]] = field(default_factory=dict)
    flushed: dict[Path, int] = field(default_factory=dict)
    """How much of each segment a stop in order has flushed, in bytes; Kafka flushes nothing else by itself."""

    def log_dir(self, node: NodeId) -> Path:
        """Where its logs are."""
        return self.folder / "data" / str(node)

    def format(self, links: Links) -> None:
        """Write every node's files. Refusal when Kafka's own tool refuses."""
        names = {node: host_of(node) for node in self.ports}
        voters = {node: self.ports[node] for node in self.controllers}
        for node in self.ports:
            self.log_dir(node).mkdir(parents=True)
            plan = NodePlan(
                node_id=node,
                is_controller=node in self.controllers,
                port=self.ports[node],
                log_dir=str(self.log_dir(node)),
            )
            self._file(node, "properties").write_text(server_properties(plan, voters, self.settings), "utf-8")
            self._file(node, "hosts").write_text(links.hosts(node, names), "utf-8")
        first = self.controllers[0]
        self._format_first(first)
        checkpoint = (self.log_dir(first) / BOOTSTRAP).read_bytes()
        for node in self.ports:
            if node != first:
                own = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
                own = f"A{own[1:]}"  # Kafka takes no id that begins with a hyphen
                (self.log_dir(node) / "meta.properties").write_text(meta_properties(node, own), "utf-8")
                (self.log_dir(node) / BOOTSTRAP).write_bytes(checkpoint)

    def _file(self, node: NodeId, kind: str) -> Path:
        return self.folder / f"{node}.{kind}"

    def _command(self, node: NodeId, main: str, *words: str) -> list[str]:
        hosts = f"-Djdk.net.hosts.file={self._file(node, 'hosts')}"
        return [str(self.jars.java), *JVM, hosts, "-cp", self.jars.class_path, main, *words]

    def _format_first(self, node: NodeId) -> None:
        feature = f"eligible.leader.replicas.version={int(self.settings.elr)}"
        words = ("format", "-t", CLUSTER_ID, "-c", str(self._file(node, "properties")), "--feature", feature)
        command = self._command(node, "kafka.tools.StorageTool", *words)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=FORMAT_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Refusal(ENVIRONMENT, f"Java does not start: {safe_text(str(error), 200)}") from error
        if done.returncode:
            said = [line for line in (done.stderr + done.stdout).splitlines() if not line.startswith("\t")]  # no stack
            raise Refusal(ENVIRONMENT, f"Apache Kafka does not format its disks: {safe_text(' '.join(said[-2:]), 300)}")

    def is_up(self, node: NodeId) -> bool:
        """Whether its process is there, paused or not."""
        process = self.processes.get(node)
        return process is not None and process.poll() is None

    def start(self, node: NodeId) -> int:
        """Its process id. OSError when Java does not start."""
        words = self._command(node, "kafka.Kafka", str(self._file(node, "properties")))
        with self._file(node, "out").open("ab") as out:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        self.processes[node] = process
        return process.pid

    def signal(self, node: NodeId, number: signal.Signals) -> None:
        """Send it; nothing for a node that is down."""
        if self.is_up(node):
            self.processes[node].send_signal(number)

    def note_flushed(self, node: NodeId) -> None:
        """It has stopped in order, so all that its partitions hold is durable."""
        self.flushed |= {path: path.stat().st_size for path in self._segments(node)}

    def lose_power(self, node: NodeId) -> None:
        """Take what its killed process had not flushed of its partitions. The metadata log is flushed."""
        for path in self._segments(node):
            durable = min(self.flushed.get(path, 0), path.stat().st_size)
            if durable:
                os.truncate(path, durable)
            else:
                path.unlink()
            for pattern in MADE_ANEW:
                for beside in path.parent.glob(pattern):
                    beside.unlink()

    def _segments(self, node: NodeId) -> list[Path]:
        return [path for path in sorted(self.log_dir(node).glob("*/*.log")) if path.parent.name != str(METADATA)]

    def kill_all(self) -> None:
        """End every process, paused ones too."""
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
        for process in self.processes.values():
            process.wait(END_SECONDS)
