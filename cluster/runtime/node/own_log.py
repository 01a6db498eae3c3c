"""The log of a node's process: what it says when something is wrong. It is the process's standard error."""

from __future__ import annotations

import sys
from contextlib import suppress


def say(text: str) -> None:
    """Write a line. The log may lie on the very disk that is full: then the exit code says it alone."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
