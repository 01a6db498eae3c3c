"""The commands that hand a run on to somebody else, and that take one. `app` takes them in."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.support import option_types as option


def export(
    run: option.Run,
    file: option.PackedFile = None,
    html: option.PageFile = None,
    svg: option.PictureFile = None,
    at: option.Moment = None,
    cast: option.FilmFile = None,
    speed: option.Speed = 1.0,
    size: option.PictureSize = "160x45",
    data_dir: option.DataDir = None,
) -> None:
    """Print a recorded run as JSON lines, in time order. Or make one file or page of it, or draw its screen."""
    from workbench.cli.sharing import Drawn
    from workbench.cli.sharing import share as hand_on
    from workbench.runs.find import recording_of

    raise typer.Exit(hand_on(recording_of(run, data_dir), file, Drawn(svg, at, cast, speed, size), html))


def share(run: option.Run, data_dir: option.DataDir = None) -> None:
    """Print a simulated run as a short text that plays it again. The same to the byte, wherever it is opened."""
    from workbench.cli.share_text import share as print_text
    from workbench.runs.find import recording_of

    raise typer.Exit(print_text(recording_of(run, data_dir)))


@option.opens_screen
def open_(
    text: Annotated[str, typer.Argument(help="As share printed it, or a link with it; - reads it from stdin.")],
    check: Annotated[bool, typer.Option("--check", help="Only say whether it is the same run.")] = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Play a run that somebody shared as a text, and show it.

    It says whether that is the same run to the byte.
    """
    from workbench.cli.share_text import open_text

    raise typer.Exit(open_text(text, data_dir, checks=check))


open_.__name__ = "open"
COMMANDS = (export, share, open_)
