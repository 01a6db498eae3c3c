"""The commands that study runs by the dozen and the thousand. `app` takes them in."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.support import option_types as option


def analyse(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Ids, unique beginnings of them, folders or addresses.")
    ] = None,
    last: Annotated[bool, typer.Option("--last", help="The newest run.")] = False,  # noqa: FBT002
    class_folder: option.ClassFolder = None,
    no_names: Annotated[bool, typer.Option("--no-names", help="Number the learners of a class.")] = False,  # noqa: FBT002
    out: option.AnalysisFolder = None,
    table: Annotated[str, typer.Option(metavar="NAME", help="Print one table instead of the report.")] = "",
    table_format: Annotated[str, typer.Option("--format", help="Of that table: csv, json or parquet.")] = "",
    figures: Annotated[bool, typer.Option("--figures", help="Each figure as an SVG file too.")] = False,  # noqa: FBT002
    follow: Annotated[bool, typer.Option("--follow", help="Go on until the runs end.")] = False,  # noqa: FBT002
    quarantine: option.Quarantine = False,  # noqa: FBT002
    master: option.Master = None,
    data_dir: option.DataDir = None,
) -> None:
    """Make tables and figures of recorded runs, on Spark."""
    from workbench.cli.analyse import Asked
    from workbench.cli.analyse import analyse as make

    asked = Asked(
        runs=tuple(runs or ()), last=last, class_folder=class_folder, names=not no_names, out=out, table=table,
        table_format=table_format, figures=figures, master=master, quarantine=quarantine, follow=follow,
        data_dir=data_dir,
    )  # fmt: skip
    raise typer.Exit(make(asked))


def campaign(
    file: Annotated[str, typer.Argument(help="A campaign file, its address, or the name of one that comes along.")],
    seeds: option.SeedCount = 50,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder or address of results; by default campaigns/NAME in the data."),
    ] = None,
    record: option.Record = "",
    against: Annotated[
        str, typer.Option(metavar="CELL", help="Tell how all differ from it, seed by seed; `code`: from other code.")
    ] = "",
    until: Annotated[
        str, typer.Option(metavar="MEASURE=WIDTH", help="Stop once no interval is wider; --seeds are the most.")
    ] = "",
    master: option.Master = None,
    data_dir: option.DataDir = None,
) -> None:
    """Simulate a grid of settings, faults and seeds on Spark. Tells what came of it; one that broke off goes on."""
    from workbench.cli.campaign import Asked
    from workbench.cli.campaign import campaign as conduct

    cells = tuple(record.split(",")) if record else ()
    asked = Asked(
        file=file, seeds=seeds, master=master, out=out, record=cells, against=against, until=until, data_dir=data_dir
    )
    raise typer.Exit(conduct(asked))


def sql(
    query: Annotated[str, typer.Argument(help="In Spark's SQL, over tables and events: workbench tables lists them.")],
    runs: Annotated[list[str] | None, typer.Argument(help="Of these runs; else of all that were analysed.")] = None,
    out: option.AnalysisFolder = None,
    table_format: Annotated[str, typer.Option("--format", help="csv or json; else a table for people.")] = "",
    master: option.Master = None,
    data_dir: option.DataDir = None,
) -> None:
    """Ask tables of recorded runs a question in SQL, on Spark."""
    from workbench.cli.sql import Asked
    from workbench.cli.sql import sql as answer

    asked = Asked(
        query=query, runs=tuple(runs or ()), out=out, table_format=table_format, master=master, data_dir=data_dir
    )
    raise typer.Exit(answer(asked))


def tables(
    name: Annotated[str, typer.Argument(help="A table, or an event such as raft.leader_elected.")] = "",
) -> None:
    """List the tables of an analysis. With a name: what a row of it is, and its columns with their units."""
    from workbench.cli.sql import tables as tell

    raise typer.Exit(tell(name))


COMMANDS = (analyse, campaign, sql, tables)
