"""Root is refused where an ordinary user asked through it, and only warned where there is nobody else to be.

In a container or on a server root is often the only user. Behind sudo somebody else sits: the runs would lie in a data
folder that belongs to root, and the nodes need no rights at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from workbench.support.refusal import ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text

ALLOW = "--allow-root"
VARIABLE = "WORKBENCH_ALLOW_ROOT"
STARTING = ("", "lab", "learn", "play", "resume", "run", "up")
"""Commands that start nodes; without any, the home screen does."""
CALLERS = ("SUDO_USER", "SUDO_UID", "DOAS_USER", "PKEXEC_UID")
"""Where sudo, doas and pkexec tell who asked."""


def is_root() -> bool:
    """Whether this process may do everything."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_allowed(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether somebody said that root is meant."""
    return bool(environment.get(VARIABLE))


def check_root(words: list[str], environment: Mapping[str, str] = os.environ) -> None:
    """Refusal when the command line would start nodes as root in the name of somebody else.

    Args:
        words: of the command line, without the program.
    """
    command = next((word for word in words if not word.startswith("-")), "")
    if not is_root() or command not in STARTING or "--help" in words or "--version" in words:
        return
    if is_allowed(environment) or ALLOW in words[: words.index(command) if command else None]:
        os.environ[VARIABLE] = "1"
        return
    caller = next((environment[name] for name in CALLERS if environment.get(name) not in (None, "", "0", "root")), "")
    if caller:
        again = " ".join(("workbench", ALLOW, command)).strip()
        raise Refusal(
            ENVIRONMENT,
            f"this would run as root for {safe_text(caller, 60)}: runs would belong to root, and the nodes need no"
            f" rights; leave sudo away, or say so: {again}",
        )
