"""What a simulated node raises where its life ends."""

from __future__ import annotations


class Ended(Exception):
    """The process ends here; what it had not sent is never sent."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
        """Negative for a signal."""
