"""Work in the background, and a loop within a loop: with threads, and as a browser tab has it, without."""

from __future__ import annotations

import asyncio
import threading

import pytest

from workbench.support import platform
from workbench.support.platform import in_background, run_to_end


@pytest.fixture(params=[True, False], ids=["threads", "no threads"])
def has_threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(platform, "HAS_THREADS", request.param)
    return bool(request.param)


async def test_work_in_the_background_returns_and_runs_in_another_thread_where_there_is_one(
    *, has_threads: bool
) -> None:
    def work(left: int, *, right: int) -> tuple[int, int]:
        return left + right, threading.get_ident()

    total, thread = await in_background(work, 2, right=3)
    assert total == 5
    assert (thread != threading.get_ident()) is has_threads


@pytest.mark.usefixtures("has_threads")
async def test_what_the_work_raises_is_raised_to_who_waits() -> None:
    def work() -> None:
        raise ValueError("no such run")

    with pytest.raises(ValueError, match="no such run"):
        await in_background(work)


@pytest.mark.usefixtures("has_threads")
async def test_work_in_the_background_may_have_a_loop_of_its_own() -> None:
    async def within() -> str:
        await asyncio.sleep(0.001)
        return "done"

    assert await in_background(lambda: run_to_end(within())) == "done"
    await asyncio.sleep(0)  # the outer loop goes on


@pytest.mark.usefixtures("has_threads")
def test_a_coroutine_runs_to_its_end_or_to_what_it_raises() -> None:
    async def add() -> int:
        first, second = await asyncio.gather(asyncio.sleep(0.001, 1), asyncio.sleep(0, 2))
        return first + second

    async def fail() -> None:
        raise LookupError("gone")

    assert run_to_end(add()) == 3
    with pytest.raises(LookupError, match="gone"):
        run_to_end(fail())


def test_a_loop_within_the_pages_loop_never_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Chromium time.sleep gives way to the page's own loop, and this one would not be heard of again."""
    monkeypatch.setattr(platform, "HAS_THREADS", False)
    monkeypatch.setattr("time.sleep", lambda _seconds: pytest.fail("it sleeps"))
    run_to_end(asyncio.sleep(0.001))


def test_without_threads_what_can_never_come_is_an_error_and_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "HAS_THREADS", False)

    async def wait() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="cannot come"):
        run_to_end(wait())
