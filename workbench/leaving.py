"""How a command ends when it cannot go on: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from workbench.refusal import ENVIRONMENT, INTERNAL, INTERRUPTED, Refusal


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
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        from workbench.safe_text import safe_text

        named = f": {safe_text(str(error.filename), 200)}" if error.filename else ""
        _leave(ENVIRONMENT, f"{safe_text(error.strerror or str(error), 300)}{named}")
    except Exception:
        from workbench.kept_traceback import keep_traceback

        _leave(INTERNAL, f"internal error, a bug of ours; its traceback is in {keep_traceback()}")


def _leave(code: int, message: str) -> None:
    with suppress(OSError):  # stderr is gone or full; the exit code still tells
        print(f"workbench: {message}", file=sys.stderr, flush=True)
    sys.exit(code)
