"""The `export` command: a recording as JSON lines, as a picture, as a film, or as one file to share.

That file has neither the disks nor anything secret.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tarfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cluster.ordinary_file import open_ordinary
from cluster.runtime.run.folder import FACTS, RunError, read_facts
from workbench.course.progress import ANSWERS
from workbench.session.bookmarks import FILE as MARKS
from workbench.support.new_file import new_file
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

JOURNAL = "journal.jsonl"
SIZE = "160x45"
SHARED_BYTES_MAX = 4 << 30
"""About thirty million events."""


class Drawn(NamedTuple):
    """What is to be drawn of a run."""

    svg: str | None = None
    """File for a picture."""
    at_s: float | None = None
    """Its moment; None for the end."""
    cast: str | None = None
    """File for a film."""
    speed: float = 1.0
    """Run time by film time."""
    size: str = SIZE


def share(run: Path, file: str | None, drawn: Drawn) -> int:
    """What was asked for; JSON lines when no file was named. Returns the exit code."""
    asked = [name for name, value in (("--file", file), ("--svg", drawn.svg), ("--cast", drawn.cast)) if value]
    if len(asked) > 1:
        raise Refusal(USAGE, f"{' and '.join(asked)}: one at a time")
    if drawn.at_s is not None and not drawn.svg:
        raise Refusal(USAGE, "--at is the moment of a picture: it goes with --svg")
    if drawn.speed != 1 and not drawn.cast:
        raise Refusal(USAGE, "--speed is the speed of a film: it goes with --cast")
    if drawn.size != SIZE and not drawn.svg and not drawn.cast:
        raise Refusal(USAGE, "--size is the size of a picture or a film: it goes with --svg or --cast")
    if file:
        return write_recording(run, file)
    if drawn.svg:
        from workbench.cli.picture import write_picture

        return write_picture(run, drawn.svg, drawn.at_s, drawn.size)
    if drawn.cast:
        from workbench.cli.cast import write_cast

        return write_cast(run, drawn.cast, drawn.size, drawn.speed)
    from workbench.cli.export import print_json_lines

    return print_json_lines(run)


def write_recording(run: Path, file: str) -> int:
    """Pack what `replay`, `check` and `analyse` read. Returns the exit code; Refusal when there is nothing to pack."""
    shown, name, facts = safe_text(file, 200), safe_text(run.name, 80), _facts(run)
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
    print(f"workbench: {shown} holds the run with every record that was written in it", file=sys.stderr)
    print(f"workbench: elsewhere: tar xf {shown}; workbench replay ./{name}", file=sys.stderr)
    return 0


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
    found = sorted(traces.glob("*.trace"))
    if not found:
        raise Refusal(BAD_DATA, f"'{safe_text(run.name, 80)}': its trace holds no events")
    return [*(part for name in (ANSWERS, JOURNAL, MARKS) if os.path.lexists(part := run / name)), *found]


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
