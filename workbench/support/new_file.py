"""Writes a file that is there whole or not at all, and takes nobody's place."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workbench.support.refusal import BUSY, ENVIRONMENT, Refusal
from workbench.support.safe_text import safe_text


@contextmanager
def new_file(name: str) -> Iterator[BinaryIO]:
    """The file of that name, to be written. It gets the name once all is in it.

    Refusal when there is one already or the disk refuses; then what was written is gone again.
    """
    path, shown = Path(name), safe_text(name, 200)
    beside = path.with_name(f".{secrets.token_hex(6)}.half")
    try:
        if os.path.lexists(path):
            raise FileExistsError
        with beside.open("xb") as stream:
            yield stream
        _take_name(beside, path)
    except FileExistsError as error:
        raise Refusal(BUSY, f"{shown} exists; choose another name") from error
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"cannot write {shown}: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)


def _take_name(beside: Path, path: Path) -> None:
    """A link takes the place of no file that came meanwhile, as a rename would; some disks know none."""
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError from None
        beside.rename(path)
