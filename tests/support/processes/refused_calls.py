"""A process whose system refuses one of its calls, as a file system does that has no locks."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

FLOCK = {"x86_64": 73, "aarch64": 32}
"""The number of the call. Source: Linux, unistd.h of each machine."""
HAS_FILTERS = sys.platform == "linux" and platform.machine() in FLOCK
_CODE = """
import ctypes, errno, os, struct, sys
number = int(sys.argv[1])
program = b"".join(struct.pack("HBBI", *each) for each in (
    (0x20, 0, 0, 0),  # load the number of the call
    (0x15, 0, 1, number),
    (0x06, 0, 0, 0x00050000 | errno.EOPNOTSUPP),
    (0x06, 0, 0, 0x7FFF0000),
))
buffer = ctypes.create_string_buffer(program)
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer)))
assert libc.prctl(22, 2, filters, 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.executable, [sys.executable, "-m", "workbench", *sys.argv[2:]])
"""


def workbench_without_locks(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line where flock is not supported. Source: seccomp(2)."""
    return subprocess.run(
        [sys.executable, "-c", _CODE, str(FLOCK[platform.machine()]), *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"WORKBENCH_HOME": str(home)},
        timeout=60,
    )
