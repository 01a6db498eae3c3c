"""What a node process says by its exit code, in both worlds."""

from __future__ import annotations

HALTED = 1
"""The protocol forbids to go on."""
BAD_CONFIG = 64
"""The config file cannot be used."""
CRASHED = 70
"""A broken invariant or a bug; the traceback is in the node's log."""
STORAGE_FAILED = 74
LAB_GONE = 76
"""The lab has ended."""
PORT_TAKEN = 98
"""Another program listens on its port."""
KILLED = -9
"""By SIGKILL, as Python tells it of a child."""
ENDED_BY_OTHERS = (0, -1, -2, KILLED, -15)
"""What no process does of itself: it leaves in order when SIGTERM asks it to, or SIGHUP, SIGINT, SIGKILL or SIGTERM
ends it. So whoever gave no command knows of somebody else."""
TOLD = {
    HALTED: "the protocol forbids it to go on",
    BAD_CONFIG: "its configuration cannot be used",
    CRASHED: "it crashed",
    STORAGE_FAILED: "its disk failed or is full",
    LAB_GONE: "the lab has ended",
    PORT_TAKEN: "another program has its port",
}
"""For people. What is not here came from elsewhere."""


def reason(code: int) -> str:
    """As "code 74 (its disk failed or is full)", or "signal 9" (SIGKILL) as Python tells it of a child: -9."""
    return f"code {code}{aside(code)}" if code >= 0 else f"signal {-code}"


def aside(code: int) -> str:
    """As " (its disk failed or is full)"; empty for a code that is none of ours."""
    return f" ({TOLD[code]})" if code in TOLD else ""
