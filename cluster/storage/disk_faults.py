"""What faults do to a disk: fsync that lies, fails or is slow, room that ends, reads that bring a wrong bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(slots=True)
class DiskFaults:
    """All that is in force at one disk; none when it is made. The disk asks at each write, read and fsync."""

    lying: bool = False
    """fsync returns success and does nothing."""
    lying_dir: bool = False
    """fsync of a folder returns success and does nothing."""
    failing: bool = False
    """fsync fails with EIO, and so does a file that is to take another's place."""
    misreading: bool = False
    """What is read of topics comes with a wrong bit."""
    slow_ms: int = 0
    """Delay of each fsync; the world waits, the disk does not."""
    budget_bytes: int | None = None
    """Bytes that can still be written before the disk is full; None for no limit."""

    @classmethod
    def of(cls, order: Mapping[str, Any]) -> Self:
        """As FaultBook.disk orders them."""
        budget = order.get("budget_bytes")
        return cls(
            lying=bool(order.get("lying")),
            lying_dir=bool(order.get("lying_dir")),
            failing=bool(order.get("failing")),
            misreading=bool(order.get("misreading")),
            slow_ms=int(order.get("slow_ms", 0)),
            budget_bytes=None if budget is None else int(budget),
        )

    @property
    def lies(self) -> bool:
        """Whether an fsync of a file or of a folder does nothing."""
        return self.lying or self.lying_dir

    def take(self, size: int) -> int:
        """How much of a write there is room for; that much is taken."""
        if self.budget_bytes is None:
            return size
        allowed = min(size, max(0, self.budget_bytes))
        self.budget_bytes -= allowed
        return allowed

    def give_back(self, size: int) -> None:
        """So many bytes are free again."""
        if self.budget_bytes is not None:
            self.budget_bytes += size

    def as_read(self, data: bytes) -> bytes:
        """What a reader gets of bytes that were read for it."""
        return data[:-1] + bytes((data[-1] ^ 1,)) if self.misreading and data else data
