"""The free lab: a living cluster on the screen."""

from __future__ import annotations

import sys

from platformdirs import user_data_path

from cluster.model.settings import classroom_timing, kafka_timing
from cluster.runtime.lab_client import LabConfig
from workbench.session.safe_text import safe_text

TIMINGS = {"classroom": classroom_timing, "kafka": kafka_timing}
EXIT_USAGE = 2


def open_free_lab(controllers: int, brokers: int, timing: str, slow: float) -> int:
    """Start the nodes and show them until the learner leaves. Returns the exit code."""
    if timing not in TIMINGS:
        print(f"workbench: unknown timing {safe_text(timing, 60)!r}; choose classroom or kafka", file=sys.stderr)
        return EXIT_USAGE
    if controllers % 2 == 0:
        even = f"an even quorum of {controllers} tolerates no more failures than {controllers - 1}"
        print(f"workbench: {even}; an odd number is better", file=sys.stderr)
    from workbench.tui.launch import open_lab

    home = user_data_path("kraft-workbench")
    settings = TIMINGS[timing]().scaled(slow)
    return open_lab(LabConfig(home=home, controllers=controllers, brokers=brokers, settings=settings))
