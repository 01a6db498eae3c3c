"""How fast a run's timers are beside Kafka's, in a few words for the header."""

from __future__ import annotations

import json

from cluster.model.settings import kafka_timing

PROBES = (
    "quorum_election_timeout_ms",
    "quorum_fetch_timeout_ms",
    "broker_heartbeat_interval_ms",
    "broker_session_timeout_ms",
)
"""Timers that a profile scales together and no lesson sets by itself."""
CONFIG_MAX = 1 << 16
ALIKE = 0.03
SLOWEST = 10_000


def timer_words(config: str) -> str:
    """What one factor makes of Kafka's timers; empty when there is no one factor, or the text makes no sense."""
    try:
        known = json.loads(config) if len(config) <= CONFIG_MAX else {}
        ratios = [float(known[name]) / getattr(kafka_timing(), name) for name in PROBES]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return ""
    least, most = min(ratios), max(ratios)
    if not all(SLOWEST > ratio > 1 / SLOWEST for ratio in ratios) or most / least > 1 + ALIKE:
        return ""
    if abs(least - 1) <= ALIKE:
        return "timers as in Kafka"
    parts = round(1 / least)
    if parts > 1 and abs(parts * least - 1) <= ALIKE:
        return f"timers 1/{parts} of Kafka's"
    return f"timers {least:.2g} x Kafka's"
