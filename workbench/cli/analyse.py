"""The `analyse` command: tables and figures of recorded runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.runtime.run.folder import run_names
from workbench.analysis.addresses import Addresses
from workbench.analysis.master import check_master
from workbench.analysis.packages import need_packages
from workbench.analysis.store.address import is_address
from workbench.analysis.store.claim import out_folder
from workbench.runs.find import recording_of
from workbench.support.places import home_folder
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from workbench.analysis.reading.ranges import RunSource
    from workbench.analysis.store.tables import Store

FORMATS = ("csv", "json", "parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was typed."""

    runs: tuple[str, ...]
    """Ids, beginnings of ids, or folders."""
    last: bool
    class_folder: str | None
    """Every run below it."""
    names: bool
    """Whether learners of a class are named; else they are numbers."""
    out: str | None
    """Output folder; by default analysis in the data folder."""
    table: str
    """Print this table instead; empty for the report."""
    table_format: str
    """csv, json or parquet; empty for a table for people."""
    figures: bool
    """Whether the figures of the report are files too."""
    master: str | None
    """Spark master URL; None for this machine."""
    quarantine: bool
    """Go on without what cannot be read."""
    follow: bool
    """Go on while the runs go on."""
    data_dir: str | None
    """Where runs are kept."""


def analyse(asked: Asked) -> int:
    """Bring the tables up to date, then print what was asked for. Returns the exit code."""
    _check(asked)
    out, home = out_folder(asked.out), home_folder(asked.data_dir)
    need_packages("the analysis")
    far = _addresses(asked, home)
    of_class = asked.class_folder and far.here(asked.class_folder)
    asked = replace(asked, runs=tuple(map(far.here, asked.runs)), class_folder=of_class)
    folders = _folders(asked)
    from workbench.analysis.learners import learners_of
    from workbench.analysis.pipeline import examine_all
    from workbench.analysis.store.tables import Store

    sources, left_out = examine_all(folders, quarantine=asked.quarantine)
    for sentence in left_out:
        print(f"left out: {sentence}", file=sys.stderr)
    store = Store(out or (home / "analysis").absolute())
    if store.others:
        named = ", ".join(safe_text(str(path), 200) for path in store.others)
        sentence = "made by another version of the workbench and kept; delete it when nobody needs it"
        print(f"{named}: {sentence}", file=sys.stderr)
    learners = None
    if asked.class_folder is not None:
        learners = learners_of(Path(asked.class_folder), sources, with_names=asked.names)
    session = _bring_up_to_date(asked, store, sources, learners, far.session)
    _show(asked, store, [source.run for source in sources], learners, left_out)
    far.put(asked.out, store.folder, store.made_of([source.run for source in sources]))
    _keep(store, session)
    return 0


def _check(asked: Asked) -> None:
    from workbench.analysis.tables import CLASS_TABLES, TABLES

    if sum((bool(asked.runs), asked.last, asked.class_folder is not None)) != 1:
        raise Refusal(USAGE, "name one or more runs, or --last, or --class DIR")
    tables = [*TABLES, *(CLASS_TABLES if asked.class_folder is not None else ())]
    if asked.table and asked.table not in tables:
        raise Refusal(USAGE, f"--table: no '{safe_text(asked.table, 60)}'; there are {', '.join(tables)}")
    if not asked.names and asked.class_folder is None:
        raise Refusal(USAGE, "--no-names goes with --class DIR")
    if asked.follow and asked.class_folder is not None:
        raise Refusal(USAGE, "--follow goes with runs, not with --class")
    if asked.table and asked.figures:
        raise Refusal(USAGE, "--figures goes with the report, not with --table")
    if asked.table_format and asked.table_format not in FORMATS:
        raise Refusal(USAGE, f"--format: '{safe_text(asked.table_format, 60)}'; there are {', '.join(FORMATS)}")
    if asked.table_format and not asked.table:
        raise Refusal(USAGE, "--format goes with --table NAME")
    check_master(asked.master)


def _addresses(asked: Asked, home: Path) -> Addresses:
    """Of what is named; a mistake is told before Spark starts."""
    named = (*asked.runs, asked.class_folder)
    if asked.follow and any(map(is_address, (*named, asked.out))):
        raise Refusal(USAGE, "--follow goes with folders of this machine")
    if is_address(asked.out) and not any(map(is_address, named)):
        _folders(asked)
    far = Addresses((*named, asked.out), home, asked.master)
    far.check(asked.out)
    return far


def _folders(asked: Asked) -> list[Path]:
    if asked.class_folder is not None:
        from workbench.analysis.reading.ranges import find_folders

        root = Path(asked.class_folder)
        folders = find_folders(root) if asked.class_folder else []
        if not folders:
            raise Refusal(BAD_DATA, f"no recorded run below {safe_text(asked.class_folder, 200)}")
        return [folder.absolute() for folder in folders]
    if asked.last:
        home = home_folder(asked.data_dir)
        names = run_names(home)
        if not names:
            raise Refusal(BAD_DATA, f"no run is recorded in {safe_text(str(home), 200)} yet")
        return [home / "runs" / names[-1]]
    return [recording_of(run, asked.data_dir) for run in asked.runs]


def _bring_up_to_date(
    asked: Asked,
    store: Store,
    sources: list[RunSource],
    learners: Mapping[str, str] | None,
    session: Any,
) -> Any:
    """Returns the session of Spark, if one was needed."""
    from workbench.analysis.pipeline import bring_up_to_date
    from workbench.analysis.report.console import Progress
    from workbench.analysis.spark import told_when_java_ends

    with Progress() as progress, told_when_java_ends():
        if asked.follow:
            from workbench.analysis.follow import follow

            follow(store, sources, asked.master, quarantine=asked.quarantine, tell=progress.tell)
            return None
        more: dict[str, Any] = {"quarantine": asked.quarantine, "learners": learners, "session": session}
        return bring_up_to_date(store, sources, asked.master, tell=progress.tell, is_keeping_later=True, **more)


def _keep(store: Store, session: Any) -> None:
    """Keep what questions in SQL will be asked of; what was shown did not wait for it."""
    from workbench.analysis.spark import told_when_java_ends

    sys.stdout.flush()
    with told_when_java_ends():
        store.keep(session)


def _show(asked: Asked, store: Store, runs: list[str], learners: Mapping[str, str] | None, left_out: list[str]) -> None:
    from workbench.analysis.pipeline import class_of, one_table, rows_of, write_report
    from workbench.analysis.report.console import print_report, print_rows
    from workbench.analysis.report.export import export_parquet, write_csv, write_json

    if asked.table:
        rows = one_table(store, asked.table, runs)
        if asked.table_format == "csv":
            write_csv(store.table(asked.table), rows, sys.stdout)
        elif asked.table_format == "json":
            write_json(rows, sys.stdout)
        elif asked.table_format == "parquet":
            print(export_parquet(store.folder, store.table(asked.table), rows))
        else:
            print_rows(asked.table, rows)
        return
    shown = rows_of(store, runs)
    of_class = None if learners is None else class_of(store, learners)
    name = "" if asked.class_folder is None else str(Path(asked.class_folder).absolute())
    path = write_report(store, shown, datetime.now().astimezone(), of_class, name, left_out)
    print_report(shown, path, store.data / "tables", of_class)
    if asked.figures:
        from workbench.analysis.report.slides import write_figures

        print(f"figures: {write_figures(path)}")
