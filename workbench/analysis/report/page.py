"""The report: one HTML page with everything in it, so that it opens anywhere and asks the network for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from workbench.analysis.report.classroom import class_sections
from workbench.analysis.report.drawing import words
from workbench.analysis.report.fates import fate_counts, record_fates
from workbench.analysis.report.fault_lines import at
from workbench.analysis.report.fault_lines import shown as with_a_time
from workbench.analysis.report.html import STYLE, Link, document, figure, many, table, tiles
from workbench.analysis.report.positions import consumer_lag, positions
from workbench.analysis.report.ribbon import isr_ribbon
from workbench.analysis.report.rows import ClassRows, Row, RunRows, is_internal
from workbench.analysis.report.sections import SECTIONS, WHOLE, overview_row, verdict_counts
from workbench.analysis.report.timeline import NO_LEADER, timeline

RUNS_SHOWN = 24
ROWS_SHOWN = 200
PARTITIONS_SHOWN = 12
INTERNAL_SHOWN = 3
GROUPS_SHOWN = 6
POINTING = (
    "Point at anything, or touch it: its numbers stand below the figure. "
    "<code>workbench replay {} --at {:.1f}</code> opens the run on the screen at that second."
)
_WORLDS = {"processes": "observed, real processes", "simulated": "observed, simulated"}
_CLOSED = ("ISR history",)
"""Long tables that one opens when one wants them."""


def page(runs: list[RunRows], made: datetime, of_class: ClassRows | None = None, left_out: Sequence[str] = ()) -> str:
    """The whole report of some runs, oldest first, and of the class they are of.

    Args:
        left_out: a sentence for each folder that could not be used.
    """
    shown = runs[-RUNS_SHOWN:]
    parts = ['<h1 id="top">' + f"{many(len(runs), 'run')} of the KRaft Workbench</h1>"]
    stamp = made.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts.append(
        f'<p class="note">Made {stamp} from recorded events. Times count from the first event of each run.</p>'
    )
    parts += [f'<p class="alarm">Left out: {words(sentence, 500)}</p>' for sentence in left_out]
    if of_class is not None:
        parts.append(f"<section>{''.join(class_sections(of_class))}</section>")
    if len(runs) > 1:
        parts.append(f"<section><h2>All runs</h2>{_overview(runs, shown)}</section>")
    if len(shown) < len(runs):
        left_out = many(len(runs) - len(shown), "older run")
        parts.append(f'<p class="note">{left_out} are in the tables and have no figures here.</p>')
    back = '<p class="note"><a href="#top">all runs</a></p>' if len(runs) > 1 else ""
    parts += [f"<section>{_one_run(run)}{back}</section>" for run in shown]
    body = "\n".join(parts)
    return document(f"{many(len(runs), 'run')} of the KRaft Workbench", STYLE, f"<main>\n{body}\n</main>")


def _overview(runs: list[RunRows], shown: list[RunRows]) -> str:
    """A line for each run; those with figures below lead there."""
    below = {run.run["run"] for run in shown}
    rows = [overview_row(run) for run in runs]
    rows = [row | ({"run": Link(row["run"], row["run"])} if row["run"] in below else {}) for row in rows]
    if all(row["whole"] == WHOLE for row in rows):
        rows = [{name: value for name, value in row.items() if name != "whole"} for row in rows]
    return table(list(rows[0]), [list(row.values()) for row in rows])


def _one_run(run: RunRows) -> str:
    name = words(run.run["run"])
    parts = [f'<h2 id="{name}">{words(run.run["title"] or "untitled")} <small><code>{name}</code></small></h2>']
    parts += [f'<p class="alarm">{text}</p>' for text in _warnings(run)]
    parts.append(_tiles(run))
    parts.append(
        figure("Leaders and epochs", POINTING.format(name, _telling_s(run)), timeline(run, run.data_partitions))
    )
    parts += _figures(run, run.data_partitions, PARTITIONS_SHOWN)
    groups = dict.fromkeys(row["group"] for row in run.tables["consumer_lag"])
    parts += [
        figure(f"{words(group)}: consumer lag", "", consumer_lag(run, group)) for group in [*groups][:GROUPS_SHOWN]
    ]
    for title, maker in SECTIONS.items():
        rows = maker(run)
        if rows:
            state = "" if title in _CLOSED else " open"
            parts.append(f"<details{state}><summary><b>{title}</b> ({len(rows)})</summary>{_rows(rows)}</details>")
    parts += _internal(run)
    return "\n".join(parts)


def _rows(rows: list[Row]) -> str:
    """A table; what it says of internal topics, which stand last, is folded."""
    own = [row for row in rows if not is_internal(row.get("log", ""))]
    inner = rows[len(own) :]
    folded = f"<details><summary>Internal topics ({len(inner)})</summary>{_first(inner)}</details>" if inner else ""
    return _first(own) + folded


def _first(rows: list[Row]) -> str:
    """The first of them as a table, and how many more there are; nothing for none."""
    text = table(list(rows[0]), [list(row.values()) for row in rows[:ROWS_SHOWN]]) if rows else ""
    more = f'<p class="note">{len(rows) - ROWS_SHOWN} more rows.</p>' if len(rows) > ROWS_SHOWN else ""
    return text + more


def _telling_s(run: RunRows) -> float:
    """A second to look at: of the first fault, else in the middle."""
    return min(map(at, with_a_time(run.tables["faults"])), default=run.end_ms / 2) / 1000


def _figures(run: RunRows, partitions: list[tuple[str, int]], most: int) -> list[str]:
    """What each of the first of these partitions went through."""
    parts = []
    for topic, partition in partitions[:most]:
        log = words(f"{topic}-{partition}")
        parts.append(figure(f"{log}: in-sync replicas", "", isr_ribbon(run, topic, partition)))
        parts.append(figure(f"{log}: log ends and high watermarks", "", positions(run, topic, partition)))
        if not is_internal(topic):
            note = "Each operation at the time of its answer, judged by the log of the partition's last leader."
            parts.append(figure(f"{log}: what became of each record", note, record_fates(run, topic, partition)))
    if len(partitions) > most:
        parts.append(f'<p class="note">{many(len(partitions) - most, "more partition")} in the tables.</p>')
    return parts


def _internal(run: RunRows) -> list[str]:
    """Partitions of internal topics, folded: those that hold records first."""
    held = {(row["topic"], row["partition"]) for row in run.tables["log_positions"] if row["log_end_offset"] > 0}
    logs = sorted((log for log in run.partitions if is_internal(log[0])), key=lambda log: log not in held)
    if not logs:
        return []
    figures = [figure("Leaders and epochs", "", timeline(run, logs, has_quorum=False))]
    figures += _figures(run, logs, INTERNAL_SHOWN)
    summary = f"<summary><b>Internal topics</b> ({many(len(logs), 'partition')})</summary>"
    return [f"<details>{summary}{''.join(figures)}</details>"]


def _tiles(run: RunRows) -> str:
    """The figures that one asks for first."""
    fates, verdicts = fate_counts(run.tables["record_fates"]), verdict_counts(run)
    lost, doubt, violated, excused = (
        fates.get("lost", 0),
        fates.get("in doubt", 0),
        verdicts["VIOLATED"],
        verdicts["EXPECTED"],
    )
    away = run.outage_ms(*NO_LEADER)
    without = ("\u2013", "no partition to write to", "")
    if away is not None:
        without = (f"{away / 1000:.2f} s", "some partition without writes", "warn" if away else "good")
    return tiles(
        [
            (f"{run.end_ms / 1000:.1f} s", _WORLDS.get(run.run["world"], "observed"), ""),
            (run.run["fault_count"], "faults", ""),
            (sum(row["outcome"] == "won" for row in run.tables["elections"]), "quorum epochs won", ""),
            (sum(fates.values()), "records produced", ""),
            (lost, "acknowledged and lost", "bad" if lost else "good"),
            (doubt, "in doubt", "warn" if doubt else ""),
            without,
            (verdicts["HOLDS"], "rules hold", "good"),
            (violated, "rules violated", "bad" if violated else "good"),
            (excused, "broken as a fault allows", "warn" if excused else ""),
            (verdicts["NOT EVALUATED"], "rules not evaluated", ""),
        ]
    )


def _warnings(run: RunRows) -> list[str]:
    warnings = []
    if not run.run["is_complete"]:
        names = "; ".join(words(item, 300) for item in run.run["bad_files"])
        warnings.append(f"Not whole: {names}. What follows lacks these events; fates of records are not evaluated.")
    if not run.run["has_ended"]:
        warnings.append("The run has not said its end: it is still going on, or it broke off.")
    if run.run["torn_bytes"]:
        warnings.append(f"{run.run['torn_bytes']} bytes of unfinished last events were left out.")
    if run.run["unknown_count"]:
        warnings.append(f"{run.run['unknown_count']} events are of a newer version and were not understood.")
    return warnings
