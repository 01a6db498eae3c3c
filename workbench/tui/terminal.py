"""What the terminal that we stand in can do."""

from __future__ import annotations

import locale
import os
import sys

from workbench.support.refusal import ENVIRONMENT, Refusal


def glyphs(asked: str = "auto") -> str:
    """What was asked for; else what this terminal can show: full, mono (NO_COLOR) or ascii (no UTF-8)."""
    if asked != "auto":
        return asked
    language = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    if language in ("C", "POSIX") or "utf" not in locale.getpreferredencoding(False).lower():
        return "ascii"
    return "mono" if os.environ.get("NO_COLOR") else "full"


def is_dumb() -> bool:
    """Whether the terminal cannot move its cursor: then lines of ASCII come instead of the screen."""
    return os.environ.get("TERM", "") in ("", "dumb", "unknown")


def need_terminal() -> None:
    """The screen draws on a terminal or not at all."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refusal(
            ENVIRONMENT, "the screen needs a terminal; play, run, up and export work without one, and so does --plain"
        )
