"""Children of this process, each with a piece of work; a mistake that is planted in one is in no other."""

from __future__ import annotations

import multiprocessing
import os
import resource
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

MEMORY_BYTES = 4 << 30
_context = multiprocessing.get_context("fork")


class _Raised(NamedTuple):
    told: str


Work = Callable[[], Any]


def in_forks(works: Iterable[tuple[Any, Work]], jobs: int, cpu_s: int) -> Iterator[tuple[Any, Any]]:
    """Yield each key with what its work gave back as they are done; None where a child died of it.

    What the work itself raises is raised here: no mistake of ours may count as a mutant that was seen.

    Args:
        works: taken one by one, each when a child is free.
        cpu_s: CPU seconds after which a child is ended.
    """
    rest = iter(works)
    busy: dict[Connection, tuple[Any, BaseProcess]] = {}
    process: BaseProcess
    try:
        while True:
            while len(busy) < jobs and (found := next(rest, None)) is not None:
                key, work = found
                ours, theirs = _context.Pipe(duplex=False)
                process = _context.Process(target=_run, args=(work, theirs, cpu_s))
                process.start()
                theirs.close()
                busy[ours] = key, process
            if not busy:
                return
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                key, process = busy.pop(ready)
                try:
                    result = ready.recv()
                except EOFError:
                    result = None
                process.join()
                ready.close()
                if isinstance(result, _Raised):
                    raise AssertionError(f"{key}: {result.told}")
                yield key, result
    finally:
        for _, process in busy.values():
            process.kill()


def _run(work: Work, answer: Connection, cpu_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        answer.send(work())
    except MemoryError:
        pass
    except Exception:  # whatever it is, the parent raises it
        answer.send(_Raised(traceback.format_exc()))
    finally:
        answer.close()
        os._exit(0)
