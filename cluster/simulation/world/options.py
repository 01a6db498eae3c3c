"""What a simulated machine costs in time, and how unkind its network is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]
"""Least (inclusive) and largest (exclusive); the seed draws between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Defaults are what loopback, a solid state disk and a Python process take."""

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
