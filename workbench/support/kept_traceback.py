"""Where the traceback of an internal error goes: never to the terminal."""

from __future__ import annotations

import os
import tempfile
import traceback


def keep_traceback() -> str:
    """Write the traceback of the exception being handled to a private file; its path."""
    handle, path = tempfile.mkstemp(prefix="kraft-workbench-", suffix=".log")
    with os.fdopen(handle, "w", errors="backslashreplace") as log:
        traceback.print_exc(file=log)
    return path
