"""What a cluster is to be, whoever asks for it and in whichever world it is begun."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TypeAlias

from cluster.model.identifiers import FIRST_CONTROLLER_ID, NodeId
from cluster.model.settings import Settings, classroom_timing

Range: TypeAlias = tuple[int, int]
"""Least (inclusive) and largest (exclusive); the seed draws between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a simulated machine costs in time, and how unkind its network is.

    Defaults are what loopback, a solid state disk and a Python process take.
    """

    latency_us: Range = (60, 250)
    """One way of a frame."""
    connect_us: Range = (200, 700)
    """From the first request to a peer until the handshake is done."""
    hang_up_us: Range = (500, 3_000)
    """From the end of a process until a peer sees its connection end."""
    flush_us: Range = (20, 120)
    """One fsync, when nothing slows the disk."""
    boot_ms: Range = (80, 160)
    """From the start of a process until it reads its files."""
    loss: float = 0.0
    """Share of frames that vanish. No TCP connection does that: it is for the protocol's own sake."""
    duplicate: float = 0.0
    """Share of frames that arrive twice."""
    reorder: float = 0.0
    """Share of frames that may be overtaken."""
    reorder_ms: Range = (1, 200)
    """How late an overtaken frame is."""

    @property
    def is_unkind(self) -> bool:
        """Whether the network does what no connection does."""
        return bool(self.loss or self.duplicate or self.reorder)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """A cluster that can be begun. Seed and options are for a simulation: there, equal ones give equal runs."""

    controllers: int = 3
    """How many; numbered from 101, from 1 when combined."""
    brokers: int = 3
    """How many; numbered from 1."""
    combined: bool = False
    """Controllers and brokers share processes."""
    settings: Settings = classroom_timing()
    title: str = "Free lab"
    given: tuple[str, ...] = ()
    """What is laid down before any node runs, each as it stands behind the word `given` of a script."""
    seed: int = 0
    """All that is left to chance in a simulation."""
    options: Options = Options()
    """How long things take in a simulation, how unkind its network is."""

    @property
    def run(self) -> str:
        """Id of a simulated run: the seed, and what else makes it the run it is."""
        fields = asdict(self)
        del fields["given"]  # the seed's own runs keep the id that they had before anything could be given
        digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
        return f"seed-{self.seed}-{digest[:8]}"

    @property
    def voters(self) -> tuple[NodeId, ...]:
        """All controllers; with control=zookeeper, the coordinator."""
        first = 1 if self.combined else FIRST_CONTROLLER_ID
        return tuple(range(first, first + self.controllers))

    @property
    def broker_ids(self) -> tuple[NodeId, ...]:
        """All brokers."""
        return tuple(range(1, 1 + self.brokers))

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """All nodes, controllers first, in the order they are started."""
        return tuple(dict.fromkeys((*self.voters, *self.broker_ids)))
