"""The file a node process is started with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.kafka.credentials import Credentials
from cluster.links.handshake import SECRET_BYTES
from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings, setting_complaint
from cluster.node.config import NodeConfig
from cluster.runtime.run.client_login import LoginError, read_login


class ConfigError(Exception):
    """The file cannot be used. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessConfig:
    """Everything one start of a node needs."""

    run: str
    node: NodeConfig
    incarnation: int
    """0 for the first start."""
    ports: dict[NodeId, int]
    """Loopback port of every node."""
    folder: Path
    secret: bytes
    rules: tuple[dict[str, Any], ...]
    """Link faults in force at the start, as in the order "links"."""
    disk: dict[str, Any]
    """Disk faults in force at the start, as in the order "disk"; empty for none."""
    client_ports: dict[NodeId, int]
    """Loopback port for Kafka clients of every broker; a broker that is not in it has no listener."""
    clients: dict[str, Any]
    """Client faults in force at the start, as in the order "clients"; empty for none."""
    clock_shift_ns: int = 0
    """From the machine's monotonic clock to the run's; not 0 once the run was resumed."""
    login: Credentials | None = None
    """Whom its Kafka listener serves; None serves every account of the machine."""


def read_config(path: Path) -> ProcessConfig:
    """Read and check the file and the run's secret. ConfigError when it cannot be used."""
    try:
        plain = json.loads(path.read_text("utf-8"))
        folder = path.parent.parent
        secret = bytes.fromhex((folder / "secret").read_text("ascii").strip())
        if len(secret) != SECRET_BYTES:
            raise ConfigError(f"the secret is not {SECRET_BYTES} bytes long")
        node = _node(plain)
        return ProcessConfig(
            run=str(plain["run"]),
            node=node,
            incarnation=int(plain["incarnation"]),
            ports={int(node): int(port) for node, port in plain["ports"].items()},
            folder=folder,
            secret=secret,
            rules=tuple(plain.get("rules", ())),
            disk=dict(plain.get("disk", {})),
            client_ports={int(node): int(port) for node, port in plain.get("client_ports", {}).items()},
            clients=dict(plain.get("clients", {})),
            clock_shift_ns=int(plain.get("clock_shift_ns", 0)),
            login=read_login(folder) if node.settings.client_auth else None,
        )
    except LoginError as error:
        raise ConfigError(str(error)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path.name}: {type(error).__name__} {error}") from error


def _node(plain: dict[str, Any]) -> NodeConfig:
    settings = plain.get("settings", {})
    if wrong := setting_complaint(settings):
        raise ConfigError(f"setting {wrong[0]}: allowed: {wrong[1]}")
    return NodeConfig(
        node_id=int(plain["node_id"]),
        roles=tuple(plain["roles"]),
        controllers=tuple(int(node) for node in plain["controllers"]),
        brokers=tuple(int(node) for node in plain.get("brokers", ())),
        settings=Settings(**settings),
        incarnation_id=str(plain["incarnation_id"]),
        incarnation=int(plain["incarnation"]),
        run=str(plain["run"]),
    )
