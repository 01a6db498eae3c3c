"""The clocks of one simulated machine: a monotonic one that timers go by, and a wall clock that only people read."""

from __future__ import annotations

from cluster.simulation.world.kernel import NS_PER_MS, WALL_START_NS, Kernel

PERCENT = 100


class MachineClock:
    """Right unless a fault says otherwise. It outlives the processes of its machine."""

    __slots__ = ("_ahead_ns", "_kernel", "_offset_ns", "_rate", "_since_ns", "_wall_ahead_ns", "is_right")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.is_right = True
        """Whether both clocks show what the kernel's do, which is nearly always."""
        self._rate = PERCENT
        self._since_ns = kernel.now_ns
        self._ahead_ns = 0
        self._wall_ahead_ns = 0
        self._offset_ns = 0

    def set(self, offset_ns: int, percent: int) -> int:
        """Let the wall clock be off, and both run this much too fast; the rate before, in percent of the true one."""
        gained_ns = self._gained_ns()
        # What it has gained it keeps when its rate is right again. A monotonic clock that jumped back would show the
        # same time twice, and a heartbeat would have come in the future. The wall clock may jump, and does: to heal it
        # is to set it right.
        self._ahead_ns += gained_ns
        self._wall_ahead_ns = self._wall_ahead_ns + gained_ns if percent else 0
        self._since_ns, self._offset_ns = self._kernel.now_ns, offset_ns
        before, self._rate = self._rate, PERCENT + percent
        self.is_right = not (percent or offset_ns or self._ahead_ns)
        return before

    def now_ns(self) -> int:
        """The monotonic clock."""
        return self._kernel.now_ns + self._ahead_ns + self._gained_ns()

    def wall_ns(self) -> int:
        """The wall clock."""
        return WALL_START_NS + self._kernel.now_ns + self._offset_ns + self._wall_ahead_ns + self._gained_ns()

    def wall_ms(self) -> int:
        """The wall clock in ms, by which files are dated."""
        return (WALL_START_NS + self._kernel.now_ns if self.is_right else self.wall_ns()) // NS_PER_MS

    def true_ns(self, delay_ns: int) -> int:
        """How long it really takes until the monotonic clock has gone on by so much."""
        return -(-delay_ns * PERCENT // self._rate)

    def _gained_ns(self) -> int:
        return (self._kernel.now_ns - self._since_ns) * (self._rate - PERCENT) // PERCENT
