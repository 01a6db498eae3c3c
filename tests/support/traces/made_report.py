"""A small run as rows of the tables, for the tests of the report."""

from __future__ import annotations

from typing import Any

RUN = "20260101-000000-000aa"
QUORUM = {"run": RUN, "topic": "__cluster_metadata", "partition": 0}
LOG = {"run": RUN, "topic": "t", "partition": 0}


def made_run(**more: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """All tables of one run of a second; `more` replaces some."""
    tables = {"runs": [_run()], "script": [], "vote_rounds": [_round()], "elections": [], "truncations": [_cut()]}
    tables |= {"log_cells": [], "operations": [], "availability": [_uptime()], "faults": [_fault()]}
    tables["leaderships"] = [
        _office(QUORUM, 3, 101, 100.0, 1000.0, "end of the run"),
        _office(LOG, 0, 1, 200.0, 900.0, "broker 1 fenced"),
        _office(LOG, 1, 2, 900.0, 1000.0, "end of the run"),
    ]
    tables["outages"] = [{**LOG, "kind": "leader down", "from_ms": 500.0, "until_ms": 900.0, "duration_ms": 400.0}]
    tables["isr_history"] = [_state(0, 1, [1, 2], 200.0, 900.0), _state(1, 2, [2], 900.0, 1000.0)]
    tables["log_positions"] = [
        {**LOG, "node": node, "t_ms": 200.0 + at, "log_end_offset": at, "high_watermark": at - 1 if at else None}
        for node in (1, 2)
        for at in range(3)
    ]
    tables["record_fates"] = [_fate(1, "a", 5, "visible", -1), _fate(2, "b", 1, "lost", 1)]
    tables["verdicts"] = [_verdict("R1", "HOLDS", None), _verdict("C1", "EXPECTED", "a record is not there")]
    tables["answers"] = [
        {"run": RUN, "question": "lone", "answer": "a", "right_answer": "b", "is_right": False, "t_ms": 600.0}
    ]
    tables["record_totals"] = [{**LOG, **dict.fromkeys(_TOTALS, 1)}]
    tables["effort"] = []
    tables |= {"groups": [], "rebalances": [], "member_epochs": [], "client_requests": []}
    tables["consumer_lag"] = [_behind(300.0, None, 2), _behind(400.0, 0, 2), _behind(700.0, 0, 0)]
    return tables | more


_TOTALS = (
    *("produced", "acknowledged", "visible", "in_log_not_visible", "duplicated", "deleted", "lost", "refused"),
    *("written_though_refused", "in_doubt", "in_doubt_but_in_log"),
)


def _behind(t_ms: float, lag: int | None, unread: int) -> dict[str, Any]:
    return {**LOG, "group": "readers", "t_ms": t_ms, "what": "read", "lag": lag, "unread": unread}


def _verdict(rule: str, verdict: str, sentence: str | None) -> dict[str, Any]:
    told = {"rule": rule, "title": f"title of {rule}", "verdict": verdict, "sentence": sentence, "excuse": None}
    return {"run": RUN, **told, "check_count": 3, "violation_count": 0 if sentence is None else 1, "t_ms": None}


def _run() -> dict[str, Any]:
    counts = {
        "event_count": 9,
        "file_count": 2,
        "fault_count": 1,
        "torn_bytes": 0,
        "unknown_count": 0,
        "world": "processes",
    }
    facts = {"run": RUN, "title": "A lesson", "observed_ms": 1000.0, "is_complete": True, "has_ended": True}
    return {**facts, **counts, "bad_files": []}


def _office(log: dict[str, Any], epoch: int, leader: int, start: float, end: float, why: str) -> dict[str, Any]:
    return {**log, "epoch": epoch, "leader": leader, "from_ms": start, "until_ms": end, "ended_by": why}


def _state(partition_epoch: int, leader: int, isr: list[int], start: float, end: float) -> dict[str, Any]:
    numbers = {"partition_epoch": partition_epoch, "leader": leader, "leader_epoch": partition_epoch, "isr": isr}
    told = {"min_insync_replicas": 2, "under_min_isr": len(isr) < 2, "change": "other", "why": None}
    return {**LOG, **numbers, **told, "from_ms": start, "until_ms": end, "duration_ms": end - start}


def _round() -> dict[str, Any]:
    numbers = {"granted_count": 1, "needed": 2, "started_ms": 50.0}
    return {"run": RUN, "epoch": 2, "candidate": 101, "pre_vote": False, "outcome": "split", **numbers}


def _cut() -> dict[str, Any]:
    numbers = {"old_end_offset": 6, "end_offset": 5, "committed_count": 0, "acknowledged_count": 1}
    return {**LOG, "node": 1, "t_ms": 950.0, "kind": "truncated", "mode": "fetch", "why": "x", **numbers}


def _uptime() -> dict[str, Any]:
    names = ("observed_ms", "leaderless_ms", "leader_away_ms", "under_min_isr_ms", "no_write_ms", "no_acks_all_ms")
    return {**LOG, **dict.fromkeys(names, 100.0)}


def _fault() -> dict[str, Any]:
    names = ("quorum_leaders_elected", "partition_leaders_elected", "isr_shrunk", "isr_expanded", "truncated")
    told = {
        "command": "kill 1",
        "commanded_by": "script",
        "kind": "Kill",
        "arguments": "1",
        "first_effect": None,
        "first_effect_ms": None,
    }
    times = {"injected_ms": 499.0, "applied_ms": 500.0, "duration_ms": 500.0, "operations_failed": 0}
    return {"run": RUN, **told, **times, **dict.fromkeys(names, 0)}


def _fate(number: int, value: str, count: int, fate: str, acks: int) -> dict[str, Any]:
    told = {"client_id": "p", "operation_id": number, "value": value, "acks": acks, "count": count, "fate": fate}
    return {
        **LOG,
        **told,
        "outcome": "acknowledged",
        "base_offset": 5 * (number - 1),
        "invoked_ms": 300.0,
        "answered_ms": 310.0,
    }
