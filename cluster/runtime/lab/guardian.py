"""Ends the nodes when their lab is gone. Its own session; told +pid and -pid on stdin; end of file kills all."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Read until the lab's end of the pipe closes, then SIGKILL what is left; it works on stopped processes too."""
    alive: set[int] = set()
    # End of file comes however the lab ends, SIGKILL too: the system closes its end of the pipe. A handler in the lab
    # would not run then, and a node sees the end of its own line only if it runs; one that is stopped would stay for
    # ever.
    for line in sys.stdin:
        pid = int(line[1:])
        if line.startswith("+"):
            alive.add(pid)
        else:
            alive.discard(pid)
    for pid in sorted(alive):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    main()
