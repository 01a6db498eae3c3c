"""The report: one HTML page with everything in it, so that it opens anywhere and asks the network for nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from workbench.analysis.report.drawing import words
from workbench.analysis.report.fates import fate_counts, record_fates
from workbench.analysis.report.positions import positions
from workbench.analysis.report.ribbon import isr_ribbon
from workbench.analysis.report.rows import Row, RunRows, log_name
from workbench.analysis.report.timeline import timeline

RUNS_SHOWN = 24
ROWS_SHOWN = 200
PARTITIONS_SHOWN = 12
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:1060px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{margin-top:2.6rem;border-top:2px solid #1b1f24;padding-top:.6rem;font-size:1.25rem}
h3{font-size:1.02rem;margin:1.6rem 0 .3rem}p.note{color:#57606a;margin:.2rem 0 .6rem}
p.alarm{background:#fbe9e9;border-left:4px solid #c62f2f;padding:.5rem .8rem}
svg{width:100%;height:auto;font-family:system-ui,sans-serif}figure{margin:.4rem 0 1.2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px}
th,td{padding:.22rem .6rem;text-align:left;border-bottom:1px solid #e3e6ea;white-space:nowrap}
td.n{text-align:right;font-variant-numeric:tabular-nums}th{background:#f6f8fa;white-space:normal;vertical-align:bottom}
details{margin:.5rem 0}
summary{cursor:pointer}code{background:#f6f8fa;padding:0 .2rem}
"""


def page(runs: list[RunRows], made: datetime) -> str:
    """The whole report of some runs, oldest first."""
    shown = runs[-RUNS_SHOWN:]
    parts = [f"<h1>{_many(len(runs), 'run')} of the KRaft Workbench</h1>"]
    stamp = made.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts.append(
        f'<p class="note">Made {stamp} from recorded events. Times count from the first event of each run.</p>'
    )
    parts.append(_overview(runs))
    if len(shown) < len(runs):
        left_out = _many(len(runs) - len(shown), "older run")
        parts.append(f'<p class="note">{left_out} are in the tables and have no figures here.</p>')
    parts += [_one_run(run) for run in shown]
    body = "\n".join(parts)
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    head += f"<title>Report</title><style>{_STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _overview(runs: list[RunRows]) -> str:
    rows = [overview_row(run) for run in runs]
    return table(list(rows[0]) if rows else [], [list(row.values()) for row in rows])


def overview_row(run: RunRows) -> dict[str, Any]:
    """What one run comes to, in a line."""
    fates = fate_counts(run.tables["record_fates"])
    elections = run.tables["elections"]
    under = sum(row["under_min_isr_ms"] for row in run.tables["availability"])
    return {
        "run": run.run["run"],
        "title": run.run["title"],
        "seconds": round(run.end_ms / 1000, 1),
        "events": run.run["event_count"],
        "faults": run.run["fault_count"],
        "epochs won": sum(row["outcome"] == "won" for row in elections),
        "split": sum(row["outcome"] == "split" for row in elections),
        "records": sum(fates.values()),
        "lost": fates.get("lost", 0),
        "in doubt": fates.get("in doubt", 0),
        "cuts": len(run.tables["truncations"]),
        "under min.insync ms": round(under),
        "whole": "yes" if run.run["is_complete"] else "NO",
    }


def _one_run(run: RunRows) -> str:
    name = words(run.run["run"])
    parts = [f'<h2 id="{name}">{words(run.run["title"] or "untitled")} <small><code>{name}</code></small></h2>']
    parts += [f'<p class="alarm">{text}</p>' for text in _warnings(run)]
    parts.append(_figure("Leaders and epochs", "Hover over a bar for its numbers.", timeline(run)))
    for topic, partition in run.partitions[:PARTITIONS_SHOWN]:
        log = words(f"{topic}-{partition}")
        parts.append(_figure(f"{log}: in-sync replicas", "", isr_ribbon(run, topic, partition)))
        parts.append(_figure(f"{log}: log ends and high watermarks", "", positions(run, topic, partition)))
        note = "Each operation at the time of its answer, judged by the log of the partition's last leader."
        parts.append(_figure(f"{log}: what became of each record", note, record_fates(run, topic, partition)))
    if len(run.partitions) > PARTITIONS_SHOWN:
        parts.append(f'<p class="note">{len(run.partitions) - PARTITIONS_SHOWN} more partitions are in the tables.</p>')
    for title, maker in SECTIONS.items():
        rows = maker(run)
        if rows:
            text = table(list(rows[0]), [list(row.values()) for row in rows[:ROWS_SHOWN]])
            more = f'<p class="note">{len(rows) - ROWS_SHOWN} more rows.</p>' if len(rows) > ROWS_SHOWN else ""
            parts.append(f"<details open><summary><b>{title}</b></summary>{text}{more}</details>")
    return "\n".join(parts)


def _warnings(run: RunRows) -> list[str]:
    found = []
    if not run.run["is_complete"]:
        names = "; ".join(words(item, 300) for item in run.run["bad_files"])
        found.append(f"Not whole: {names}. What follows lacks these events; fates of records are not evaluated.")
    if not run.run["has_ended"]:
        found.append("The run has not said its end: it is still going on, or it broke off.")
    if run.run["torn_bytes"]:
        found.append(f"{run.run['torn_bytes']} bytes of unfinished last events were left out.")
    if run.run["unknown_count"]:
        found.append(f"{run.run['unknown_count']} events are of a newer version and were not understood.")
    return found


def _figure(title: str, note: str, svg: str) -> str:
    told = f'<p class="note">{note}</p>' if note else ""
    return f"<figure><h3>{title}</h3>{told}{svg}</figure>"


def table(names: list[str], rows: list[list[Any]]) -> str:
    """An HTML table; numbers to the right, nothing for null."""
    head = "".join(f"<th>{words(name.replace('_', ' '))}</th>" for name in names)
    lines = ["".join(_cell(value) for value in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: object) -> str:
    kind = ' class="n"' if isinstance(value, int | float) and not isinstance(value, bool) else ""
    return f"<td{kind}>{words(shown(value))}</td>"


def shown(value: object) -> str:
    """A value of a table for people."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)


def _many(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _picked(name: str, columns: tuple[str, ...]) -> Callable[[RunRows], list[Row]]:
    """Some columns of a table, after the log they are of."""

    def rows(run: RunRows) -> list[Row]:
        found = []
        for row in run.tables[name]:
            log = {"log": log_name(row)} if "topic" in row else {}
            found.append(log | {column.removesuffix("_count"): row[column] for column in columns})
        return found

    return rows


SECTIONS: dict[str, Callable[[RunRows], list[Row]]] = {
    "Availability": _picked(
        "availability",
        ("observed_ms", "leaderless_ms", "leader_away_ms", "under_min_isr_ms", "no_write_ms", "no_acks_all_ms"),
    ),
    "Elections of the quorum": _picked(
        "elections", ("epoch", "outcome", "leader", "candidates", "started_ms", "duration_ms", "leaderless_ms")
    ),
    "Faults, and what came before the next one": _picked(
        "faults",
        (
            *("command", "applied_ms", "duration_ms", "quorum_leaders_elected", "partition_leaders_elected"),
            *("isr_shrunk", "isr_expanded", "truncated", "operations_failed", "first_effect", "first_effect_ms"),
        ),
    ),
    "Logs that became shorter": _picked(
        "truncations",
        (
            "node",
            "t_ms",
            "kind",
            "mode",
            "why",
            "old_end_offset",
            "end_offset",
            "committed_count",
            "acknowledged_count",
        ),
    ),
    "ISR history": _picked(
        "isr_history",
        (
            "partition_epoch",
            "leader",
            "leader_epoch",
            "isr",
            "min_insync_replicas",
            "change",
            "why",
            "from_ms",
            "duration_ms",
        ),
    ),
}
"""The tables that the page shows of each run."""
