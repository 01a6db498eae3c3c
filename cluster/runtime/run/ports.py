"""Loopback ports of a run: one block below the range the system hands out. A taken block is left for the next."""

from __future__ import annotations

import os
import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cluster.model.identifiers import NodeId
from cluster.runtime.run.file_lock import take_lock
from cluster.runtime.run.port_holder import holder_of

LOOPBACK = "127.0.0.1"
FIRST_PORT = 19092
LAST_PORT = 32767
STEP = 40
LOWEST_PORT = 1024
HIGHEST_PORT = 65535
EPHEMERAL_FIRST = 32768


@dataclass(frozen=True, slots=True)
class Ports:
    """Where everybody listens."""

    nodes: dict[NodeId, int] = field(default_factory=dict)
    """Of every node, for the other nodes and the lab."""
    clients: dict[NodeId, int] = field(default_factory=dict)
    """Of every broker, for Kafka clients."""

    @classmethod
    def of_block(cls, nodes: tuple[NodeId, ...], brokers: tuple[NodeId, ...], block: tuple[int, ...]) -> Ports:
        """Nodes first, then the brokers' second ports."""
        return cls(dict(zip(nodes, block, strict=False)), dict(zip(brokers, block[len(nodes) :], strict=True)))

    def of(self, node: NodeId) -> tuple[int, ...]:
        """All of one node."""
        return tuple(ports[node] for ports in (self.nodes, self.clients) if node in ports)

    def taken(self, node: NodeId) -> int:
        """The port of a node that something has already; 0 when all look free."""
        return next((port for port in self.of(node) if not looks_free(port)), 0)


def blocks(count: int, base_port: int | None) -> Iterator[tuple[int, ...]]:
    """Blocks of consecutive ports to try, in order; only one when the caller chose it."""
    if base_port is not None:
        yield tuple(range(base_port, base_port + count))
        return
    for first in range(FIRST_PORT, LAST_PORT - count, STEP):
        block = tuple(range(first, first + count))
        if all(looks_free(port) for port in block):
            yield block


def reserve(block: tuple[int, ...], folder: Path) -> int | None:
    """Keep other runs off a block, as long as the returned file descriptor is open; None when one has it.

    Two runs that start at once would else find the same block free, and each take some of its ports.
    """
    return take_lock(folder / f"ports-{block[0]}.lock")


def looks_free(port: int) -> bool:
    """A first look only: the node that binds the port decides, and the lab moves on when it is taken by then."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def loopback_trouble() -> str:
    """Why nobody can be reached on 127.0.0.1; empty when somebody can. A container may lack it, or have it down."""
    try:
        with socket.create_server((LOOPBACK, 0)) as server, socket.create_connection(server.getsockname(), 1.0):
            return ""
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else error
        return f"{LOOPBACK} cannot be used: {why}; the loopback interface has to be up and to have this address"


def moved(ports: Collection[int]) -> str:
    """Which ports a run that was free to choose has, and who has the first block; empty when it has that itself."""
    if min(ports) < FIRST_PORT + STEP:
        return ""
    holders = (holder_of(port) for port in range(FIRST_PORT, FIRST_PORT + STEP))
    holder = next(filter(None, holders), "")
    by = f" by {holder}" if holder else ""
    return f"ports from {FIRST_PORT} on were taken{by}; this run has {min(ports)} to {max(ports)}"


def complaint(base_port: int, count: int) -> str:
    """Why a chosen block cannot be used at all; empty when it can."""
    if base_port < LOWEST_PORT:
        return f"ports below {LOWEST_PORT} need root, choose {FIRST_PORT}"
    if base_port + count - 1 > HIGHEST_PORT:
        return f"the range of {count} ports would pass {HIGHEST_PORT}"
    return ""


def warning(base_port: int) -> str:
    """What speaks against a chosen block; empty when nothing does."""
    if base_port >= EPHEMERAL_FIRST:
        return (
            f"ports from {EPHEMERAL_FIRST} up may be taken by outgoing connections at any time, {FIRST_PORT} is safer"
        )
    return ""
