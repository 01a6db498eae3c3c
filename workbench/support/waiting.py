"""What a terminal says until the first picture, and what becomes of keys that are typed meanwhile.

It is asked before anything else is loaded, so it loads nothing.
"""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Sequence

SCREENS = frozenset(("lab", "learn", "attach", "resume", "replay", "compare", "open"))
"""Commands that show a screen and ask nothing before it; without a command there is the home screen."""
LINES = frozenset(("--help", "--plain"))
_ECHO_OF = 3
"""Where termios keeps the flags of what is typed."""


class Waiting:
    """Of this process, from its begin to its first screen."""

    def __init__(self) -> None:
        self._before: list[int | list[bytes | int]] | None = None
        """How the terminal was; None while nothing was changed."""
        self._says = False

    def begin(self, arguments: Sequence[str]) -> None:
        """Say that the screen comes, and let no key be echoed into it."""
        opens = not arguments or arguments[0] in SCREENS and not LINES & set(arguments)
        is_plain = os.environ.get("WORKBENCH_PLAIN") or os.environ.get("TERM", "") in ("", "dumb", "unknown")
        if not opens or is_plain or not (os.isatty(0) and os.isatty(1)):
            return
        self._before = termios.tcgetattr(0)
        quiet = [*self._before]
        quiet[_ECHO_OF] = self._before[_ECHO_OF] & ~termios.ECHO  # type: ignore[operator]
        termios.tcsetattr(0, termios.TCSANOW, quiet)
        # The cursor goes back: a refusal or a warning that is printed instead of the screen covers it.
        sys.stdout.write("starting ...\r")
        sys.stdout.flush()
        self._says = True

    def clear(self) -> None:
        """The screen comes now."""
        if self._says:
            sys.stdout.write("\x1b[K")
            sys.stdout.flush()
        self._says = False

    def end(self) -> None:
        """Give the terminal back as it was."""
        self.clear()
        if self._before is not None:
            termios.tcsetattr(0, termios.TCSANOW, self._before)
        self._before = None


WAITING = Waiting()
