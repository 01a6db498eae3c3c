"""Whether the project's own tests see a mistake: they are collected once, and run in a fork for each mutant."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

import pytest

from tests.mutants.forks import Work, in_forks
from tests.mutants.plant import Probes, plant
from tests.mutants.sites import Mutant, mutants
from tests.mutants.swarm_judge import Death

CHEAP = "not slow and not processes and not screens and not spark and not clients"
WALL_S_MAX = 30.0
"""Of one test, and so many times what it took without a mistake; who takes longer hangs."""
WALL_FACTOR = 10
CPU_S_MAX = 600


class _Hangs(BaseException):
    """A test takes far too long."""


class Serving:
    """A plugin of pytest that runs the collected tests once for each mutant instead of once."""

    def __init__(self, files: Sequence[str], wanted: Sequence[Mutant], jobs: int, answer: Connection) -> None:
        self._files, self._wanted, self._jobs, self._answer = files, wanted, jobs, answer
        self._failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep whether it failed."""
        self._failed = self._failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """First as it is, to see which test meets what; then each mutant with the tests that meet it."""
        items = session.items
        ((_, found),) = in_forks([("as it is", lambda: self._as_it_is(items))], 1, CPU_S_MAX)
        assert found is not None, "the tests end in a crash without any mistake"
        works = ((mutant, self._work(items, mutant, found)) for mutant in self._wanted)
        for mutant, result in in_forks(works, self._jobs, CPU_S_MAX):
            died = Death("the tests", "crash", 0) if result is None else result
            self._answer.send((mutant.name, died))
        return True

    def _as_it_is(self, items: list[pytest.Item]) -> list[tuple[float, frozenset[str], bool]]:
        """Of each test: seconds, mutants that would have made a difference in it, whether it passed."""
        probes = Probes()
        for file in self._files:
            probes.plant(file, mutants(file))
        found = []
        for place, item in enumerate(items):
            probes.hits.clear()
            began = time.monotonic()
            following = items[place + 1] if place + 1 < len(items) else None
            passed = not self._fails(item, following, CPU_S_MAX)
            found.append((time.monotonic() - began, frozenset(probes.hits), passed))
        return found

    def _work(self, items: list[pytest.Item], mutant: Mutant, found: list[tuple[float, frozenset[str], bool]]) -> Work:
        meeting = [place for place, (_, hits, passed) in enumerate(found) if passed and mutant.name in hits]
        meeting.sort(key=lambda place: found[place][0])

        def work() -> Death | str:
            plant(mutant)
            for tried, (place, after) in enumerate(zip(meeting, [*meeting[1:], None], strict=False), 1):
                following = None if after is None else items[after]
                if self._fails(items[place], following, WALL_S_MAX + WALL_FACTOR * found[place][0]):
                    return Death(items[place].nodeid, "test", tried)
            return ""

        return work

    def _fails(self, item: pytest.Item, following: pytest.Item | None, wall_s: float) -> bool:
        self._failed = False
        signal.setitimer(signal.ITIMER_REAL, wall_s)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except BaseException:  # a mutant may end in whatever it likes, also in what no test may raise
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return self._failed


def judged_by_tests(
    paths: Sequence[str], files: Sequence[str], wanted: Sequence[Mutant], jobs: int
) -> Iterator[tuple[str, Death | None]]:
    """Yield each mutant's name with the test that sees it, None when none does."""
    reading, writing = os.pipe()
    ours, theirs = Connection(reading, writable=False), Connection(writing, readable=False)
    pid = os.fork()
    if pid == 0:
        ours.close()
        _serve(lambda: _pytest(paths, Serving(files, wanted, jobs, theirs)))
    theirs.close()
    try:
        while True:
            name, died = ours.recv()
            yield name, died or None
    except EOFError:
        pass
    finally:
        ours.close()
        os.waitpid(pid, 0)


def _serve(run: Callable[[], Any]) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)

    def hangs(*_signal: Any) -> None:
        raise _Hangs

    signal.signal(signal.SIGALRM, hangs)
    try:
        run()
    finally:
        os._exit(0)


def _pytest(paths: Sequence[str], plugin: Serving) -> None:
    pytest.main(["-q", "--capture=sys", "-p", "no:xdist", "-m", CHEAP, *paths], plugins=[plugin])
