"""Analyses runs for a screen: a process of its own that speaks JSON lines. `python -m workbench.analysis.on_screen`.

Each line it reads names a run: [its folder, the output folder]. Each line it writes is one object: {"tell", "done",
"total"} while it works, and {"table", "rows"} as soon as one is made; at last {"run", "tables", "page"} or {"refused"}.
Its session of Spark is kept for the next run, until its input ends.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.packages import need_packages
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_MAX = 600
"""Of one table; where there are more, some in between are left out and the first and last stay."""
STEPS_BEFORE = 3
"""Starting Spark, reading, and saying how much was read."""
SHOWN = (
    *("runs", "leaderships", "vote_rounds", "elections", "outages", "availability", "isr_history", "log_positions"),
    *("record_fates", "record_totals", "truncations", "faults", "answers", "effort", "verdicts"),
    *("groups", "rebalances", "member_epochs", "consumer_lag", "client_requests"),
)


def say(told: dict[str, Any]) -> None:
    """One line."""
    print(json.dumps(told, default=str, ensure_ascii=True), flush=True)


class Analyst:
    """Brings tables up to date for one run after another."""

    def __init__(self) -> None:
        self._session: SparkSession | None = None

    def analyse(self, folder: Path, out: Path) -> None:
        """Make the tables of one run and its page, and say what a screen shows. Refusal when it cannot."""
        need_packages("the analysis")
        from workbench.analysis.pipeline import bring_up_to_date, examine_all, rows_of, write_report
        from workbench.analysis.report.rows import when
        from workbench.analysis.spark import told_when_java_ends
        from workbench.analysis.store.tables import Store
        from workbench.analysis.tables import TABLES

        before = int(self._session is not None)

        def tell(what: str, done: int, total: int) -> None:
            """What comes before the tables is one step each, so that the bar moves from the beginning."""
            nonlocal before
            say({"tell": what, "done": before + (done if total > 1 else 0), "total": STEPS_BEFORE + len(TABLES)})
            before += total == 1

        def show(name: str, rows: list[dict[str, Any]]) -> None:
            if name in SHOWN:
                say({"table": name, "rows": thinned(sorted(rows, key=when))})

        sources, _ = examine_all([folder])
        store = Store(out)
        try:
            with told_when_java_ends():
                more: dict[str, Any] = {"session": self._session, "show": show, "is_keeping_later": True}
                made = bring_up_to_date(store, sources, None, quarantine=True, tell=tell, **more)
            self._session = made or self._session
            (run,) = rows_of(store, [sources[0].run])
            page = write_report(store, [run], datetime.now().astimezone())
            tables = {name: thinned(run.tables[name]) for name in SHOWN}
            in_progress = sources[0].in_progress
            say({"run": run.run, "tables": tables, "page": str(page), "in_progress": in_progress})
            with told_when_java_ends():
                store.keep(made)
        finally:
            store.close()


def thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most ROWS_MAX of them."""
    every = -(-len(rows) // ROWS_MAX)
    return [row for place, row in enumerate(rows) if place % every == 0 or place == len(rows) - 1] if rows else []


def main(asked: Iterable[str]) -> int:
    """The exit code: 0 when what is asked ends; after a refusal or a mistake the next one begins with a new process."""
    analyst = Analyst()
    for line in asked:
        folder, out = map(Path, json.loads(line))
        try:
            analyst.analyse(folder, out)
        except Refusal as refusal:
            say({"refused": str(refusal)})
            return refusal.code
        except Exception as error:  # the screen that started us has no other way to hear of it
            say({"refused": safe_text(f"a mistake of ours: {type(error).__name__}: {error}", 300)})
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.stdin))
