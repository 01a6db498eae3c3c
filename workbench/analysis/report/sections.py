"""Which tables the page and the console show of each run, and with which columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from workbench.analysis.report.fates import fate_counts
from workbench.analysis.report.rows import Row, RunRows, is_internal, log_name

BROKEN = ("VIOLATED", "UNEXPECTED-PASS", "EXPECTED")
WHOLE = "yes"
"""What stands for a run all of whose events could be read."""


def overview_row(run: RunRows) -> dict[str, Any]:
    """What one run comes to, in a line."""
    fates = fate_counts(run.tables["record_fates"])
    elections = run.tables["elections"]
    under = run.outage_ms("under min.insync")
    verdicts = verdict_counts(run)
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
        "ms under min.insync": None if under is None else round(under),
        "rules violated": verdicts["VIOLATED"],
        "rules excused": verdicts["EXPECTED"],
        "whole": WHOLE if run.run["is_complete"] else "NO",
    }


def verdict_counts(run: RunRows) -> Counter[str]:
    """Rules by verdict."""
    return Counter(row["verdict"] for row in run.tables["verdicts"])


def _picked(name: str, columns: tuple[str, ...]) -> Callable[[RunRows], list[Row]]:
    """Some columns of a table, after the log they are of."""

    def rows(run: RunRows) -> list[Row]:
        rows_shown = []
        for row in sorted(run.tables[name], key=lambda row: is_internal(row.get("topic", ""))):
            log = {"log": log_name(row)} if "topic" in row else {}
            rows_shown.append(log | {column.removesuffix("_count"): row[column] for column in columns})
        return rows_shown

    return rows


def _broken(run: RunRows) -> list[Row]:
    """Rules that do not simply hold, those that nothing excuses first."""
    columns = ("rule", "title", "verdict", "check_count", "violation_count", "t_ms", "sentence", "excuse")
    named = {"check_count": "checks", "violation_count": "violations"}
    rows = [row for row in run.tables["verdicts"] if row["verdict"] in BROKEN]
    ordered = sorted(rows, key=lambda row: (BROKEN.index(row["verdict"]), row["rule"]))
    return [{named.get(name, name): row[name] for name in columns} for row in ordered]


_RECORDS = ("produced", "acknowledged", "visible", "in_log_not_visible", "duplicated", "deleted", "lost", "refused")
SECTIONS: dict[str, Callable[[RunRows], list[Row]]] = {
    "Rules that were broken": _broken,
    "Predictions": _picked("answers", ("question", "answer", "right_answer", "is_right", "t_ms")),
    "Records": _picked("record_totals", (*_RECORDS, "written_though_refused", "in_doubt", "in_doubt_but_in_log")),
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
            *(
                "command",
                "commanded_by",
                "applied_ms",
                "duration_ms",
                "quorum_leaders_elected",
                "partition_leaders_elected",
            ),
            *("isr_shrunk", "isr_expanded", "truncated", "operations_failed", "first_effect", "first_effect_ms"),
        ),
    ),
    "Consumer groups": _picked(
        "groups",
        (
            *("group", "protocol", "assignor", "state", "generation", "members", "coordinators", "rebalances"),
            *("rebalancing_ms", "longest_rebalance_ms", "commits", "commits_refused", "requests_refused"),
            "polled_records",
        ),
    ),
    "Rebalances": _picked(
        "rebalances",
        ("group", "generation", "from_ms", "duration_ms", "ended_as", "members", "moved_count", "why"),
    ),
    "What members of groups had": _picked(
        "member_epochs",
        (
            *("group", "member_id", "client_id", "software", "protocol", "epoch", "state", "assigned", "revoking"),
            *("from_ms", "duration_ms", "ended_by", "taken_ms", "polled_count", "committed_count"),
        ),
    ),
    "What Kafka clients asked and got": _picked(
        "client_requests",
        (
            *("client_id", "software", "node", "api", "versions", "connections", "requests", "size_bytes", "about"),
            *("first_ms", "last_ms", "records", "errors", "error_count", "lost_count"),
        ),
    ),
    "Logs that became shorter": _picked(
        "truncations",
        (
            *("node", "t_ms", "kind", "mode", "why", "old_end_offset", "end_offset", "committed_count"),
            "acknowledged_count",
        ),
    ),
    "ISR history": _picked(
        "isr_history",
        (
            *("partition_epoch", "leader", "leader_epoch", "isr", "min_insync_replicas", "change", "why", "from_ms"),
            "duration_ms",
        ),
    ),
}
"""Title to the rows below it; what has no rows is not shown."""
