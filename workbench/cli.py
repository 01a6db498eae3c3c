"""The command line: parse, call, print. Results go to stdout, the rest to stderr."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXIT_BAD_DATA = 4

app = typer.Typer(
    name="workbench",
    help="Watch a KRaft cluster of real processes, break it, and rewind what happened.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Run = Annotated[Path, typer.Argument(help="Folder of a recorded run; it holds a folder named trace.")]


@app.command()
def lab(
    controllers: Annotated[int, typer.Option(min=1, max=9, help="Voters of the quorum; an odd number is best.")] = 3,
    brokers: Annotated[int, typer.Option(min=0, max=9, help="Brokers that register with it.")] = 3,
    slow: Annotated[float, typer.Option(min=0.1, max=1000, help="Stretch every timer this many times.")] = 1.0,
    timing: Annotated[str, typer.Option(help="classroom, or kafka for Kafka's real defaults.")] = "classroom",
) -> None:
    """Start a living cluster and show it; it ends with the screen."""
    from workbench.free_lab import open_free_lab

    raise typer.Exit(open_free_lab(controllers, brokers, timing, slow))


@app.command()
def replay(run: Run) -> None:
    """Rewind a recorded run on the screen."""
    from workbench.tui.launch import open_replay

    raise typer.Exit(open_replay(_recording(run)))


@app.command()
def export(run: Run) -> None:
    """Print the events of a recorded run as JSON lines, in time order."""
    from workbench.export import print_json_lines

    raise typer.Exit(print_json_lines(_recording(run)))


def _recording(run: Path) -> Path:
    """The folder, or exit with one message."""
    if not (run / "trace").is_dir():
        from workbench.session.safe_text import safe_text

        shown = safe_text(str(run), 200)
        typer.echo(f"workbench: {shown} is not a recorded run: it holds no folder named trace", err=True)
        raise typer.Exit(EXIT_BAD_DATA)
    return run


def main() -> None:
    """Entry point of the console command."""
    app()
