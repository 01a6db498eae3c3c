"""How the life of a simulated node may end. Exit codes are those of cluster/runtime/exit_codes.py."""

from __future__ import annotations

EXIT_HALTED = 1
EXIT_CRASHED = 70
EXIT_STORAGE_FAILED = 74
EXIT_KILLED = -9


class Ended(Exception):
    """The process ends here; what it had not sent is never sent."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
        """Negative for a signal."""
