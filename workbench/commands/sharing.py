"""The `export` command: a recording as JSON lines, as a picture, as a film, or as one file to share.

That file has neither the disks nor anything secret.
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

from cluster.runtime.run.folder import FACTS, RunError, read_facts
from workbench.course.progress import ANSWERS
from workbench.refusal import BAD_DATA, BUSY, ENVIRONMENT, USAGE, Refusal
from workbench.safe_text import safe_text
from workbench.session.bookmarks import FILE as MARKS

JOURNAL = "journal.jsonl"
SIZE = "160x45"


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
    """Columns and rows."""


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
        from workbench.commands.picture import write_picture

        return write_picture(run, drawn.svg, drawn.at_s, drawn.size)
    if drawn.cast:
        from workbench.commands.cast import write_cast

        return write_cast(run, drawn.cast, drawn.size, drawn.speed)
    from workbench.commands.export import print_json_lines

    return print_json_lines(run)


def write_recording(run: Path, file: str) -> int:
    """Pack what `replay`, `check` and `analyse` read. Returns the exit code; Refusal when there is nothing to pack."""
    shown, path = safe_text(file, 200), Path(file)
    traces = sorted((run / "trace").glob("*.trace"))
    if not traces:
        raise Refusal(BAD_DATA, f"'{safe_text(run.name, 80)}': its trace holds no events")
    try:
        with path.open("xb") as stream, tarfile.open(fileobj=stream, mode="w:gz") as packed:
            _add(packed, f"{run.name}/{FACTS}", _facts(run))
            for part in (run / ANSWERS, run / JOURNAL, run / MARKS, *traces):
                if part.is_file():
                    _add(packed, f"{run.name}/{part.relative_to(run)}", part.read_bytes())
    except FileExistsError as error:
        raise Refusal(BUSY, f"{shown} exists; choose another name") from error
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"cannot write {shown}: {error.strerror}") from error
    name = safe_text(run.name, 80)
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


def _add(packed: tarfile.TarFile, name: str, content: bytes) -> None:
    """One file that only its owner reads; neither user nor time of this machine goes along."""
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    packed.addfile(member, io.BytesIO(content))
