"""A simulated process that runs and stands still in turn."""

from __future__ import annotations

from typing import Protocol

from cluster.simulation.world.kernel import NS_PER_MS, Kernel


class Stumbling(Protocol):
    """What a stutter needs of the process that it stops and lets go on."""

    is_held: bool
    """Whether a command has stopped it, too: then it stands still whatever the rounds say."""
    exit_code: int | None
    """Once it has ended."""

    def pause(self) -> None:
        """Stand still from now on."""

    def resume(self) -> None:
        """Go on."""


class Stutter:
    """Rounds of one process, from now until it ends or they are over."""

    __slots__ = ("_is_over", "_kernel", "_process", "_run_ns", "_stop_ns", "is_still")

    def __init__(self, kernel: Kernel, process: Stumbling, run_ms: int, stop_ms: int) -> None:
        self._kernel, self._process = kernel, process
        self._run_ns, self._stop_ns = run_ms * NS_PER_MS, stop_ms * NS_PER_MS
        self._is_over = False
        self.is_still = False
        """Whether it stands still for now."""
        kernel.after(self._run_ns, self._stop, None)

    def end(self) -> None:
        """It runs from now on, unless a command has stopped it."""
        self._is_over = True
        if self.is_still:
            self._go()

    def _stop(self, _nothing: None) -> None:
        if self._is_over or self._process.exit_code is not None:
            return
        self.is_still = True
        if not self._process.is_held:
            self._process.pause()
        self._kernel.after(self._stop_ns, self._next, None)

    def _next(self, _nothing: None) -> None:
        if self._is_over or self._process.exit_code is not None:
            return
        self._kernel.after(self._run_ns, self._stop, None)
        self._go()

    def _go(self) -> None:
        self.is_still = False
        if not self._process.is_held:
            self._process.resume()
