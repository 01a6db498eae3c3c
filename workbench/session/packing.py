"""A recording as one file to share, which has neither the disks nor anything secret."""

from __future__ import annotations

import io
import json
import os
import tarfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import BinaryIO

from cluster.ordinary_file import open_ordinary
from cluster.runtime.run.folder import FACTS, RunError, read_facts
from workbench.course.progress import ANSWERS
from workbench.session.bookmarks import FILE as MARKS
from workbench.support.new_file import new_file
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

JOURNAL = "journal.jsonl"
SHARED_BYTES_MAX = 4 << 30
"""About thirty million events."""


def pack_recording(run: Path, file: str) -> None:
    """Pack what `replay`, `check` and `analyse` read. Refusal when there is nothing to pack, or the file is there."""
    name, facts = safe_text(run.name, 80), _facts(run)
    parts = _parts(run)
    size = sum(_opened_size(run, part) for part in parts)
    if size > SHARED_BYTES_MAX:
        raise Refusal(BAD_DATA, f"'{name}': its recording has {size} bytes; at most {SHARED_BYTES_MAX >> 30} GiB")
    with new_file(file) as stream, tarfile.open(fileobj=stream, mode="w:gz") as packed:
        _add(packed, f"{run.name}/{FACTS}", len(facts), io.BytesIO(facts))
        for part in parts:
            with _opened(run, part) as content:
                size = os.fstat(content.fileno()).st_size  # what a run in progress writes meanwhile stays behind
                _add(packed, f"{run.name}/{part.relative_to(run)}", size, content)


def _facts(run: Path) -> bytes:
    """run.json without what belongs to this machine."""
    try:
        facts = read_facts(run)
    except RunError as error:
        raise Refusal(BAD_DATA, f"'{safe_text(run.name, 80)}': {safe_text(str(error), 200)}") from error
    kept = replace(facts, ports=None, client_ports=None, lab_pid=0, boot="")
    return (json.dumps(asdict(kept), indent=1) + "\n").encode()


def _parts(run: Path) -> list[Path]:
    """What goes along as it is. A link could name any file of whoever shares: it is no part of a recording."""
    traces = run / "trace"
    if traces.is_symlink():
        raise Refusal(BAD_DATA, f"'{safe_text(run.name, 80)}': trace is a link; nothing is packed")
    trace_files = sorted(traces.glob("*.trace"))
    if not trace_files:
        raise Refusal(BAD_DATA, f"'{safe_text(run.name, 80)}': its trace holds no events")
    return [*(part for name in (ANSWERS, JOURNAL, MARKS) if os.path.lexists(part := run / name)), *trace_files]


def _opened_size(run: Path, part: Path) -> int:
    with _opened(run, part) as content:
        return os.fstat(content.fileno()).st_size


def _opened(run: Path, part: Path) -> BinaryIO:
    try:
        return os.fdopen(open_ordinary(part), "rb")
    except OSError as error:
        where = f"'{safe_text(run.name, 80)}': {safe_text(str(part.relative_to(run)), 80)}"
        raise Refusal(BAD_DATA, f"{where}: {error.strerror}; nothing is packed") from error


def _add(packed: tarfile.TarFile, name: str, size: int, content: BinaryIO) -> None:
    """One file that only its owner reads; neither user nor time of this machine goes along."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    packed.addfile(member, content)
