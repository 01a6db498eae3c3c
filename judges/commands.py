"""The commands that this package adds to `workbench`, which finds them by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.support import option_types as option


def against_kafka(
    scripts: Annotated[list[Path] | None, typer.Argument(help="Scripts; none with --all.")] = None,
    kafka: Annotated[
        str | None, typer.Option("--kafka", metavar="FOLDER", help="With the jars of Apache Kafka 4.x.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All scripts of this project's tests.")] = False,  # noqa: FBT002
    page: Annotated[Path | None, typer.Option("--page", help="Write a table of all cases there.")] = None,
    no_processes: Annotated[bool, typer.Option("--no-processes", help="Leave out our real processes.")] = False,  # noqa: FBT002
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Play a script in three worlds, one Apache Kafka; compare. Exit 1 when they differ.

    A difference that is known has its reason in a manifest. What Kafka cannot be asked or told is not judged.
    """
    from judges.against_kafka import Asked, all_scripts
    from judges.against_kafka import against_kafka as compare

    named = (*all_scripts(), *(scripts or ())) if every else tuple(scripts or ())
    raise typer.Exit(compare(Asked(named, kafka, not no_processes, page, as_json)))


COMMANDS = (against_kafka,)
