"""Numbers with their word: 1 member, 2 members."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """The number, and the word in the right form."""
    return f"{count} {what}" + ("" if count == 1 else "s")
