"""What a node process says by its exit code, in both worlds."""

from __future__ import annotations

HALTED = 1
"""The protocol forbids to go on."""
BAD_CONFIG = 64
"""The config file cannot be used."""
CRASHED = 70
"""A broken invariant or a bug; the traceback is in the node's log."""
STORAGE_FAILED = 74
"""Its disk failed."""
LAB_GONE = 76
"""The lab has ended."""
PORT_TAKEN = 98
"""Another program listens on its port."""
KILLED = -9
"""By SIGKILL, as Python tells it of a child."""
