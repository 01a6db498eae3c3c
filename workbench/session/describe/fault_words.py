"""Faults in the words of the command grammar."""

from __future__ import annotations

from cluster.faults.grammar import VERB_OF
from workbench.support.safe_text import safe_text


def fault_words(kind: str, arguments: str) -> str:
    """A fault as one would type it."""
    return f"{VERB_OF.get(kind, safe_text(kind, 40).lower())} {safe_text(arguments, 100)}".rstrip()
