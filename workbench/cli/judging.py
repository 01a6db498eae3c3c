"""The commands that judge by what others wrote: rules and specifications, Apache Kafka. `app` takes them in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.support import option_types as option


def check(
    run: option.Run,
    salvage: option.Salvage = False,  # noqa: FBT002
    against: option.Against = "",
    specs: option.Specs = None,
    tlc: option.Tlc = None,
    partition: option.OnePartition = "",
    data_dir: option.DataDir = None,
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Judge a recorded run by its events, rule by rule. Exit 1 when one is violated.

    With --against: whether a public specification of Kafka allows what the run shows. Exit 1 when it does not, 3 when
    that cannot be judged.
    """
    from workbench.cli.check import check as judge
    from workbench.cli.check_against import Asked, check_against
    from workbench.runs.find import recording_of

    if against or specs or tlc or partition:
        asked = Asked(against, specs, tlc, partition, as_json)
        raise typer.Exit(check_against(recording_of(run, data_dir), asked, salvage=salvage))
    raise typer.Exit(judge(recording_of(run, data_dir), as_json=as_json, salvage=salvage))


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
    from workbench.cli.against_kafka import Asked, all_scripts
    from workbench.cli.against_kafka import against_kafka as compare

    named = (*all_scripts(), *(scripts or ())) if every else tuple(scripts or ())
    raise typer.Exit(compare(Asked(named, kafka, not no_processes, page, as_json)))
