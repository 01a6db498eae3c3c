"""What is wrong with a lesson, and where."""

from __future__ import annotations

from pathlib import Path

from workbench.support.refusal import BAD_DATA


class LessonError(Exception):
    """A lesson that cannot be used: file, line, what is wrong. code is the exit code."""

    def __init__(self, path: Path, line: int, what: str, code: int = BAD_DATA) -> None:
        super().__init__(f"{path.parent.name}/{path.name}:{line}: {what}")
        self.line = line
        """From 1."""
        self.code = code
        """4 bad data, 5 another version."""
