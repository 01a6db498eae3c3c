"""What the system that we run on has. A browser tab has no threads, no processes and no limits that one could ask."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

HAS_PROCESSES = HAS_THREADS = sys.platform != "emscripten"


async def in_background(
    work: Callable[Arguments, Returned], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Returned:
    """What the work returns. Meanwhile others go on where there are threads; else they stand still until it is done."""
    if HAS_THREADS:
        return await asyncio.to_thread(work, *arguments, **options)
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Returned] = loop.create_future()

    def begin() -> None:  # in no task: the work may have a loop of its own
        try:
            result = work(*arguments, **options)
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(result)

    loop.call_soon(begin)
    return await done


def run_to_end(work: Coroutine[Any, Any, Returned]) -> Returned:
    """As asyncio.run. Where nothing but the page's own loop can wait, for what waits for nothing outside."""
    if HAS_THREADS:
        return asyncio.run(work)
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    loop = _Loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
        asyncio._set_running_loop(outer)


class _Loop(asyncio.BaseEventLoop):
    """Timers and callbacks, without files and sockets."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list[object]:
        """Nothing comes from outside. It looks at its timers again at once: who sleeps gives way to the page's loop."""
        if timeout is None:
            raise RuntimeError("it waits for something that cannot come")
        return []

    def _process_events(self, _events: list[object]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass
