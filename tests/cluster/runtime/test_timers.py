"""Named timers on a loop."""

from __future__ import annotations

import asyncio
from random import Random

from cluster.model.entry import EventId
from cluster.runtime.timers import Timers

CAUSE = EventId(1, 0, 7)


def fired(*steps: tuple[str, int | None], wait_s: float = 0.06) -> list[tuple[str, EventId | None]]:
    """Set (name, delay) or cancel (name, None), then wait."""
    seen: list[tuple[str, EventId | None]] = []

    async def run() -> None:
        timers = Timers(asyncio.get_running_loop(), lambda name, cause: seen.append((name, cause)), Random(1))
        for name, delay_ms in steps:
            if delay_ms is None:
                timers.cancel(name)
            else:
                timers.set(name, delay_ms, 0, CAUSE)
        await asyncio.sleep(wait_s)
        timers.close()

    asyncio.run(run())
    return seen


def test_a_timer_fires_once_with_the_event_it_was_set_by() -> None:
    assert fired(("a", 1)) == [("a", CAUSE)]


def test_a_cancelled_timer_does_not_fire() -> None:
    assert fired(("a", 1), ("a", None), ("b", None)) == []


def test_setting_again_replaces_it_earlier_or_later() -> None:
    assert fired(("a", 5), ("a", 20), ("b", 500), ("b", 1)) == [("b", CAUSE), ("a", CAUSE)]


def test_a_timer_moved_past_the_end_does_not_fire_at_its_old_time() -> None:
    assert fired(("a", 5), ("a", 500)) == []


def test_a_cancelled_timer_can_be_set_again() -> None:
    assert fired(("a", 5), ("a", None), ("a", 10)) == [("a", CAUSE)]
