"""From recorded runs to tables and a report, in order, saying how far it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.runtime.run.folder import RunError
from workbench.analysis.reading.ranges import RunSource, examine
from workbench.analysis.report.html import many
from workbench.analysis.report.page import page
from workbench.analysis.report.rows import ClassRows, RunRows, split, when
from workbench.analysis.spark import make_session
from workbench.analysis.store.planned import forget_plans
from workbench.analysis.store.rows import Reading, bad_files, readings_of
from workbench.analysis.store.tables import Show, Store, Tell, class_rows, table_rows
from workbench.analysis.tables import CLASS_TABLES, TABLES
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.state_files import write_whole

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME_MAX = 60


def examine_all(folders: list[Path], *, quarantine: bool = False) -> tuple[list[RunSource], list[str]]:
    """(every run once, oldest first; what was left out, a sentence each).

    Refusal for a folder that cannot be used, and for a second one that holds the same run, unless it may be put aside;
    then only when nothing is left.
    """
    sources: dict[str, RunSource] = {}
    left_out = []
    for folder in folders:
        try:
            source = examine(folder)
        except (RunError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            left_out.append(f"'{safe_text(str(folder), 200)}': {safe_text(str(reason), 200)}")
            continue
        other = sources.setdefault(source.run, source)
        if other.folder.resolve() != folder.resolve():
            pair = f"'{safe_text(str(folder), 200)}' holds the same run as '{safe_text(str(other.folder), 200)}'"
            left_out.append(f"{pair}: {source.run}")
    if left_out and (not quarantine or not sources):
        more = f"; and {len(left_out) - 5} more" if len(left_out) > 5 else ""
        how = f"; --quarantine goes on with the {many(len(sources), 'other run')}" if sources else ""
        raise Refusal(BAD_DATA, f"{'; '.join(left_out[:5])}{more}{how}")
    return [sources[run] for run in sorted(sources)], left_out


def bring_up_to_date(
    store: Store,
    sources: list[RunSource],
    master: str | None,
    *,
    quarantine: bool,
    tell: Tell,
    learners: Mapping[str, str] | None = None,
    session: SparkSession | None = None,
    show: Show = lambda _name, _rows: None,
    is_keeping_later: bool = False,
) -> SparkSession | None:
    """Make what is missing of the tables of these runs.

    With learners (run to learner) the tables of the class too. Tables of what is small are shown as they come. Spark is
    started only when there is something to do, and no session was given; returns the session then.

    With is_keeping_later the tables of little runs come as soon as they can; then `store.keep` is to be called.

    Refusal when a file cannot be believed to its end, unless it may be put aside: then its good beginning is used, and
    what is said about its run says so.
    """
    runs = [source.run for source in sources]
    is_current, is_class_current = store.is_current(sources), learners is None or store.is_class_current(learners)
    if is_current and is_class_current:
        refuse_bad(readings_of(store.data, runs), quarantine=quarantine)
        return None
    ahead = None
    if is_keeping_later and learners is None:
        ahead = store.ahead(sources, master)
    if ahead is not None:
        tell("reading traces", 0, 1)
        tell(f"{len(ahead.events)} new events", 1, 1)
        refuse_bad(ahead.readings, quarantine=quarantine)
    if session is None:
        tell("starting Spark, some seconds", 0, 1)
        session = make_session(master)
    try:
        if not is_current and ahead is None:
            tell("reading traces", 0, 1)
            tell(f"{store.read(session, sources)} new events", 1, 1)
        if ahead is None:
            refuse_bad(readings_of(store.data, runs), quarantine=quarantine)
    except BaseException:
        forget_plans(session)
        raise
    store.make_tables(session, sources, tell, show, ahead)
    if learners is not None and not store.is_class_current(learners):
        store.make_class(session, learners, tell)
    return session


def refuse_bad(readings: list[Reading], *, quarantine: bool) -> None:
    """Refusal that names the files which cannot be believed to their end, unless they may be put aside."""
    bad = bad_files(readings)
    if not bad or quarantine:
        return
    named = [
        f"{row['run']}/trace/{safe_text(row['file'], 80)}: byte {row['bad_byte']}: {safe_text(row['bad_why'], 160)}"
        for row in bad
    ]
    more = f"; and {len(named) - 5} more" if len(named) > 5 else ""
    good = len({(row["run"], row["file"]) for row in readings}) - len(bad)
    text = f"{'; '.join(named[:5])}{more}; --quarantine goes on with the {good} good files and marks these"
    raise Refusal(BAD_DATA, text)


def rows_of(store: Store, runs: list[str]) -> list[RunRows]:
    """All tables of these runs as plain rows."""
    return split({name: table_rows(store.table(name), runs) for name in TABLES})


def write_report(
    store: Store,
    runs: list[RunRows],
    now: datetime,
    of_class: ClassRows | None = None,
    name: str = "",
    left_out: Sequence[str] = (),
) -> Path:
    """The page, in the output folder; it replaces the one of the same runs, or of the class of that name."""
    path = store.folder / page_name([run.run["run"] for run in runs], name)
    return write_whole(path, page(runs, now, of_class, left_out))


def page_name(runs: list[str], of_class: str = "") -> str:
    """run-ID.html, runs-DIGEST.html of several, class-NAME-DIGEST.html; the digest is of what would not fit in a name.

    Args:
        of_class: path of the class; empty for runs.
    """
    digest = sha256("\n".join([of_class] if of_class else sorted(runs)).encode("utf-8", "surrogateescape")).hexdigest()
    if of_class:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(of_class).name)[:NAME_MAX].strip("-.")
        return "-".join(part for part in ("class", plain, digest[:6]) if part) + ".html"
    return f"run-{runs[0]}.html" if len(runs) == 1 else f"runs-{digest[:12]}.html"


def class_of(store: Store, learners: Mapping[str, str]) -> ClassRows:
    """All tables of a class as plain rows."""
    return ClassRows({name: class_rows(store.table(name)) for name in CLASS_TABLES}, len(set(learners.values())))


def one_table(store: Store, name: str, runs: list[str]) -> list[dict[str, Any]]:
    """One table of these runs, or of their class, as plain rows, in order of time."""
    if name in CLASS_TABLES:
        return sorted(class_rows(store.table(name)), key=lambda row: tuple(map(str, row.values())))
    return sorted(table_rows(store.table(name), runs), key=lambda row: (row["run"], when(row)))
