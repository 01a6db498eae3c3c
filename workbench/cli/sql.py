"""The `sql` and `tables` commands."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.analysis.addresses import Addresses
from workbench.analysis.master import check_master
from workbench.analysis.packages import need_packages
from workbench.analysis.store.address import is_address
from workbench.analysis.store.claim import out_folder
from workbench.runs.find import recording_of
from workbench.support.places import home_folder
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

FORMATS = ("csv", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was typed."""

    query: str
    """In Spark's SQL."""
    runs: tuple[str, ...]
    """Ids, beginnings of ids, or folders; none for all that were analysed."""
    out: str | None
    """Where the tables are; by default analysis in the data folder."""
    table_format: str
    """csv or json; empty for a table for people."""
    master: str | None
    """Spark master URL; None for this machine."""
    data_dir: str | None
    """Where runs are kept."""


def sql(asked: Asked) -> int:
    """Bring the tables of the runs up to date, then print the answer. Returns the exit code."""
    if asked.table_format and asked.table_format not in FORMATS:
        raise Refusal(USAGE, f"--format: '{safe_text(asked.table_format, 60)}'; there are {', '.join(FORMATS)}")
    if not asked.query.strip():
        raise Refusal(USAGE, "an empty question; for example: workbench sql 'select * from elections'")
    check_master(asked.master)
    out, home = out_folder(asked.out), home_folder(asked.data_dir)
    if not is_address(asked.out) and not any(map(is_address, asked.runs)):
        _folders(asked)  # a mistake is told before Spark starts
    need_packages("sql")
    far = Addresses((*asked.runs, asked.out), home, asked.master)
    asked = replace(asked, runs=tuple(map(far.here, asked.runs)))
    folders = _folders(asked)
    from workbench.analysis.pipeline import bring_up_to_date, examine_all
    from workbench.analysis.questions import answer
    from workbench.analysis.report.console import Progress, print_rows
    from workbench.analysis.report.export import write_csv_rows, write_json
    from workbench.analysis.spark import make_session, running_session, told_when_java_ends
    from workbench.analysis.store.tables import Store

    store = Store(out or far.tables(asked.out) or (home / "analysis").absolute())
    sources = examine_all(folders)[0] if folders else []
    runs = [source.run for source in sources] or store.made_runs
    if not runs:
        raise Refusal(BAD_DATA, "no run was analysed yet: name one, or workbench analyse --last")
    with Progress() as progress, told_when_java_ends():
        master, tell = asked.master, progress.tell
        if sources:
            bring_up_to_date(store, sources, master, quarantine=True, tell=tell, session=far.session)
        tell("asking", 0, 1)
        rows = answer(running_session() or make_session(master), store, runs, asked.query)
    if asked.table_format == "csv":
        write_csv_rows(rows, sys.stdout)
    elif asked.table_format == "json":
        write_json(rows, sys.stdout)
    else:
        print_rows("", rows)
    return 0


def _folders(asked: Asked) -> list[Path]:
    return [recording_of(run, asked.data_dir) for run in asked.runs]


def tables(name: str) -> int:
    """Print what there is to ask, or what the columns of one table are. Returns the exit code."""
    need_packages("tables")
    from workbench.analysis.questions import described, listed
    from workbench.analysis.report.console import print_rows

    if not name:
        print_rows("tables; each kind of event is one too, as raft_leader_elected", listed())
        return 0
    text, columns = described(name)
    print(text)
    print_rows("", columns)
    return 0
