"""Faults in the words of the command grammar."""

from __future__ import annotations

from cluster.faults.commands import VERB_OF
from workbench.support.safe_text import safe_text

FAULT_WORDS = {kind.__name__: verb for kind, verb in VERB_OF.items()}
"""Kinds of faults in the words of the command grammar."""


def fault_words(kind: str, arguments: str) -> str:
    """A fault as one would type it."""
    return f"{FAULT_WORDS.get(kind, safe_text(kind, 40).lower())} {safe_text(arguments, 100)}".rstrip()
