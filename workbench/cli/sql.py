"""The `sql` and `tables` commands."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from workbench.analysis.master import check_master
from workbench.analysis.packages import need_packages
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
    out, folders = out_folder(asked.out), [recording_of(run, asked.data_dir) for run in asked.runs]
    need_packages("sql")
    from workbench.analysis.pipeline import bring_up_to_date, examine_all
    from workbench.analysis.questions import answer
    from workbench.analysis.report.console import Progress, print_rows
    from workbench.analysis.report.export import write_csv_rows, write_json
    from workbench.analysis.spark import make_session, told_when_java_ends
    from workbench.analysis.store.tables import Store

    store = Store(out or (home_folder(asked.data_dir) / "analysis").absolute())
    sources = examine_all(folders)[0] if folders else []
    runs = [source.run for source in sources] or store.made_runs
    if not runs:
        raise Refusal(BAD_DATA, "no run was analysed yet: name one, or workbench analyse --last")
    with Progress() as progress, told_when_java_ends():
        master, tell = asked.master, progress.tell
        session = bring_up_to_date(store, sources, master, quarantine=True, tell=tell) if sources else None
        tell("asking", 0, 1)
        rows = answer(session or make_session(master), store, runs, asked.query)
    if asked.table_format == "csv":
        write_csv_rows(rows, sys.stdout)
    elif asked.table_format == "json":
        write_json(rows, sys.stdout)
    else:
        print_rows("", rows)
    return 0


def tables(name: str) -> int:
    """Print what there is to ask, or what the columns of one table are. Returns the exit code."""
    need_packages("tables")
    from workbench.analysis.questions import described, listed
    from workbench.analysis.report.console import print_rows

    if not name:
        print_rows("tables; each kind of event is one too, as raft_leader_elected", listed())
        return 0
    told, columns = described(name)
    print(told)
    print_rows("", columns)
    return 0
