"""How a command ends when it cannot go on: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from workbench.support.refusal import ENVIRONMENT, INTERNAL, INTERRUPTED, Refusal

NO_THREAD = "can't start new thread"
"""What Python says when the system refuses one."""


@contextmanager
def mistakes_told() -> Iterator[None]:
    """Tell whatever goes wrong within, and end the process."""
    try:
        yield
    except Refusal as refusal:
        _leave(refusal.code, str(refusal))
    except KeyboardInterrupt:
        _leave(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        _is_lost(sys.stdout)
        _is_lost(sys.stderr)
        sys.exit(1)
    except OSError as error:
        from workbench.support.safe_text import safe_text

        place = error.filename or ("stdout" if _is_lost(sys.stdout) else "")
        named = f": {safe_text(str(place), 200)}" if place else ""
        _leave(ENVIRONMENT, f"{safe_text(error.strerror or str(error), 300)}{named}")
    except Exception as error:  # the last that can be done: one line, and the traceback in a file
        if isinstance(error, RuntimeError) and str(error) == NO_THREAD:
            from cluster.runtime.system_limits import no_more_processes

            _leave(ENVIRONMENT, no_more_processes())
        from workbench.support.foreign_modules import foreign_module
        from workbench.support.safe_text import safe_text

        if foreign := safe_text(foreign_module(error), 300):
            why = "PYTHONPATH names its folder, and it does not serve: start without PYTHONPATH"
            _leave(ENVIRONMENT, f"the module {foreign}; {why} (a traceback is in {keep_traceback()})")
        _leave(INTERNAL, f"internal error, a bug of ours; its traceback is in {keep_traceback()}")


def _is_lost(stream: TextIO) -> bool:
    """Whether what was said cannot be written. It is forgotten then, else Python tries once more, and complains."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return True
    return False


def _leave(code: int, message: str) -> None:
    _is_lost(sys.stdout)
    with suppress(OSError):
        print(f"workbench: {message}", file=sys.stderr)
    _is_lost(sys.stderr)  # gone or full; the exit code still tells
    sys.exit(code)


def keep_traceback() -> str:
    """Write the traceback of the exception being handled to a private file; its path."""
    import tempfile
    import traceback

    handle, path = tempfile.mkstemp(prefix="kraft-workbench-", suffix=".log")
    with os.fdopen(handle, "w", errors="backslashreplace") as log:
        traceback.print_exc(file=log)
    return path
