"""Small campaigns for tests: a file that takes no time to run, and rows as its runs would leave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.analysis.campaign.plan import Campaign
from workbench.analysis.campaign.read_file import read_campaign

SMALL = """
title = "Small"
question = "What does a killed leader cost?"
measures = ["loss_share", "silence_ms", "leaderless_ms"]
rows = ["fault"]
columns = ["acks", "min_isr"]
not_shown = ["Anything large."]

[cluster]
controllers = 1
brokers = 3

[times]
warm_up = "1s"
shift = "100ms"
trouble = "3s"
calm = "20s"

[axes.fault]
set = "fault"

[axes.acks]
set = "load.acks"
values = ["1", "all"]

[axes.min_isr]
label = "min.insync.replicas"
set = "topic.min_isr"
values = [1, 2]

[faults."leader killed"]
text = "The leader is killed."
steps = ["0s kill $1"]
"""
TINY = """
title = "Tiny"
question = "Does the only controller lead?"
measures = ["leaderless_ms"]
columns = ["timeout"]

[cluster]
controllers = 3
brokers = 0

[times]
warm_up = "1s"
shift = "100ms"
trouble = "500ms"
calm = "5s"

[axes.timeout]
set = "settings.quorum_fetch_timeout_ms"
values = [200, 300]
"""


def made(folder: Path, text: str = SMALL, name: str = "small") -> Campaign:
    """The campaign of a text."""
    path = folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return read_campaign(path)


def row(cell: str, seed: int, **given: Any) -> dict[str, Any]:
    """An outcome in which nothing happened but what is given."""
    usual = {
        "cell": cell, "seed": seed, "events": 100 + seed, "simulated_us": 1_000_000, "elections": 0, "splits": 0,
        "leaderless_us": 0, "acknowledged": 10, "refused": 0, "in_doubt": 0, "lost": 0, "duplicated": 0,
        "silence_us": 20_000, "answer_us": 500, "no_acks_all_us": 0, "under_min_isr_us": 0, "commit_gap_us": 20_000,
        "commit_us": 400, "unrest": "", "violated": [], "excused": [], "engine": "e",
    }  # fmt: skip
    return usual | given
