"""Untrusted text made visible: control, escape and direction characters become pictures. Source: CVE-2021-25743."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

LIMIT = 4096
_MARKS_MAX = 4
_DIRECTION = {0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def safe_text(text: str | bytes, limit: int = LIMIT) -> str:
    """The text with nothing in it that a terminal would obey; cut at limit characters."""
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    rest = len(decoded) - limit
    if rest > 0:
        return _visible(decoded[:limit]) + f"... {rest} more"
    return _visible(decoded)


@lru_cache(maxsize=4096)
def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    out: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= _MARKS_MAX:
            out.append(_picture(char))
    return "".join(out)


def _picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0x80 <= code < 0xA0 or code in _DIRECTION or unicodedata.category(char) in ("Cf", "Cs", "Co", "Cn"):
        return f"<U+{code:04X}>"
    return char
