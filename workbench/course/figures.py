"""Figures in a lesson's text: `{quorum_fetch_timeout_ms}` is told as it is in the cluster that the text speaks of.

A figure names a timer of `cluster/model/settings.py`; the learner reads 333 ms with classroom timing, 2 s with Kafka's.
"""

from __future__ import annotations

import re

from cluster.model.settings import Settings, setting_names

FIGURE = re.compile(r"\{([a-z_]+)\}")
SECOND_MS, MINUTE_MS = 1000, 60_000
MINUTES_FROM_MS = 2 * MINUTE_MS


def unknown_figure(text: str) -> str:
    """The first figure of a text that is no timer; empty when all are."""
    timers = {name for name in setting_names() if name.endswith("_ms")}
    return next((name for name in FIGURE.findall(text) if name not in timers), "")


def told(text: str, settings: Settings) -> str:
    """The text with each figure as these settings have it."""
    return FIGURE.sub(lambda found: duration(getattr(settings, found[1])), text)


def duration(milliseconds: int) -> str:
    """A time as people say it: 333 ms, 1.5 s, 20 min."""
    if milliseconds < SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds >= MINUTES_FROM_MS and milliseconds % MINUTE_MS == 0:
        return f"{milliseconds // MINUTE_MS} min"
    return f"{milliseconds / SECOND_MS:.3f}".rstrip("0").rstrip(".") + " s"
