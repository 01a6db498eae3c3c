"""A file that a learner hands in. Whoever reads one does not need the cluster for it."""

from __future__ import annotations

from pathlib import Path

from cluster.ordinary_file import StrangeFile, read_ordinary_or_pipe
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

BYTES_MAX = 4 << 20


def read_text(path: Path) -> str:
    """The text of a learner's file. Refusal when it cannot be read, is too long or is no text."""
    name = safe_text(str(path), 200)
    try:
        return read_ordinary_or_pipe(path, BYTES_MAX).decode("utf-8")
    except (StrangeFile, OSError) as error:
        raise Refusal(BAD_DATA, f"cannot read '{name}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refusal(BAD_DATA, f"'{name}' is not UTF-8 at byte {error.start}") from error
