"""A request that is refused: one message for people and an exit code. Nothing was changed then."""

from __future__ import annotations

USAGE, ENVIRONMENT, BAD_DATA, VERSION, BUSY, INTERNAL, INTERRUPTED = 2, 3, 4, 5, 6, 7, 130


class Refusal(Exception):
    """str() is one sentence: what was wrong, where, what was seen, how to fix it. The text is safe to print."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        """2 usage, 3 environment, 4 bad data, 5 version, 6 busy, 7 internal."""
