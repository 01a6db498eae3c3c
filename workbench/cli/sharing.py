"""The `export` command: a recording as JSON lines, as a picture, as a film, as a page, or as one file to share.

That file has neither the disks nor anything secret.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from workbench.session.packing import pack_recording
from workbench.support.refusal import USAGE, Refusal
from workbench.support.safe_text import safe_text

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


def share(run: Path, file: str | None, drawn: Drawn, page: str | None = None) -> int:
    """What was asked for; JSON lines when no file was named. Returns the exit code."""
    asked = [
        name
        for name, value in (("--file", file), ("--html", page), ("--svg", drawn.svg), ("--cast", drawn.cast))
        if value
    ]
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
    if page:
        from workbench.web.one_page import write_page

        write_page(run, page)
        shown = safe_text(page, 200)
        print(f"workbench: {shown} opens in any browser, without a network: it holds every record", file=sys.stderr)
        return 0
    if drawn.svg:
        from workbench.cli.picture import write_picture

        return write_picture(run, drawn.svg, drawn.at_s, drawn.size)
    if drawn.cast:
        from workbench.cli.cast import write_cast

        return write_cast(run, drawn.cast, drawn.size, drawn.speed)
    from workbench.cli.export import print_json_lines

    return print_json_lines(run)


def write_recording(run: Path, file: str) -> int:
    """Pack it and say how it is read elsewhere. Returns the exit code; Refusal when there is nothing to pack."""
    pack_recording(run, file)
    shown, name = safe_text(file, 200), safe_text(run.name, 80)
    print(f"workbench: {shown} holds the run with every record that was written in it", file=sys.stderr)
    print(f"workbench: elsewhere: tar xf {shown}; workbench replay ./{name}", file=sys.stderr)
    return 0
