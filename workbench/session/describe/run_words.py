"""How a run ends and goes on, and what a loss of power took, in words."""

from __future__ import annotations

from cluster.model.events import lab
from workbench.support.safe_text import safe_text


def end_words(e: lab.RunEnded) -> str:
    """What follows `run ended`."""
    if e.why:
        return f": {safe_text(e.why, 200)}"
    return "" if e.clean else ", something had to be forced"


def gap_words(e: lab.RunResumed) -> str:
    """What follows `run resumed`: for how long it was over, and how it had ended."""
    seconds = e.away_ms // 1000
    away = f"{seconds} s" if seconds < 120 else f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
    how = "" if e.was_ended else ", whose lab had died without a word"
    return f" {away} after its newest event{how}; its clock stood still"


def lost_words(e: lab.PowerLost) -> str:
    """What follows the first gap of a file is lost too: no start reads past it."""
    unsynced = sum(written - durable for _, written, _, durable, _ in e.files)
    lost = sum(written - kept for _, written, _, _, kept in e.files)
    if not unsynced:
        return "everything was durable"
    return f"{unsynced} bytes were not durable" + (f", {lost} of them are lost" if lost < unsynced else "")
