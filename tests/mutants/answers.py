"""Asks each rule, at each of its calls in a run, what it would have answered with each of its mistakes.

A rule is a function of facts alone: a mistake with which it answers the same at every call is in no other run than the
one without, and no run is needed to know it. One with which it decides the same, but says other words or numbers,
moves nothing: handlers go by what was decided.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from cluster.model.ruling import Ruling
from tests.mutants.plant import Probes, code_of, function_of, is_pure
from tests.mutants.sites import Mutant

ASKED = "__asked__"
CPU_S_MAX = 1.0
"""Of one answer; who takes longer does not answer."""


class _Hang(BaseException):
    """An answer takes too long."""


class Answers:
    """Notes which mistakes change what a rule decides, and which only what it tells of it."""

    def __init__(self, mutants: Iterable[Mutant]) -> None:
        """Make each rule with each mistake; what cannot be asked (it changes what it is given) is left out."""
        self.decides: set[str] = set()
        """Names of mutants with which some rule decided something else; cleared by `begin`."""
        self.tells: set[str] = set()
        """Those with which it told other words or numbers, whether or not it decided the same."""
        self.can_ask: set[str] = set()
        """Names of all that are asked about."""
        self._probes: Probes | None = None
        self._rules: list[FunctionType] = []
        self._changed: list[list[tuple[str, FunctionType]]] = []
        self._left: list[list[tuple[str, FunctionType]]] = []
        self._watched: list[FunctionType] = []
        self._reached: list[int] = []
        self._is_asking = False
        self._changed_one = -1
        self._stand_in: FunctionType | None = None
        by_function: dict[tuple[str, str], list[Mutant]] = {}
        for mutant in mutants:
            by_function.setdefault((mutant.file, mutant.function), []).append(mutant)
        for (file, name), some in by_function.items():
            if is_pure(file, name):
                function = function_of(file, name)
                self._rules.append(function)
                self._changed.append([(mutant.name, _like(function, code_of(mutant))) for mutant in some])
                self.can_ask.update(mutant.name for mutant in some)

    def plant(self, probes: Probes) -> None:
        """Ask from now on in this process, whose functions have their probes by now."""
        self._probes = probes
        for number, function in enumerate(self._rules):
            self._watched.append(_like(function, function.__code__))
            function.__globals__[ASKED] = self
            function.__code__ = _asking(number)

    @contextmanager
    def asked(self) -> Iterator[None]:
        """One run."""
        self.decides.clear()
        self.tells.clear()
        self._left = [list(some) for some in self._changed]

        def hang(*_signal: Any) -> None:
            if self._is_asking:
                raise _Hang

        before = signal.signal(signal.SIGPROF, hang)
        try:
            yield
        finally:
            signal.signal(signal.SIGPROF, before)

    def called(self, number: int, given: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """A rule was called: answer as it does, and ask what it would have answered with mistakes in all it calls."""
        if self._is_asking:
            stands_in = number == self._changed_one and self._stand_in
            return (stands_in or self._watched[number])(*given, **named)
        self._reached.append(number)
        if len(self._reached) > 1:
            return self._watched[number](*given, **named)
        try:
            answer = self._watched[number](*given, **named)
        except Exception:
            self._reached.clear()
            raise
        reached = sorted(set(self._reached))
        self._reached.clear()
        self._ask(reached, answer, lambda: self.called(number, given, named))
        return answer

    def _ask(self, reached: Sequence[int], answer: Any, again: Callable[[], Any]) -> None:
        assert self._probes is not None
        met = self._probes.hits
        self._probes.hits = set()  # what a mistake comes to is not what the run comes to
        self._is_asking = True
        try:
            for self._changed_one in reached:
                left = self._left[self._changed_one]
                left[:] = [one for one in left if one[0] not in met or self._is_same(one, answer, again)]
        finally:
            self._is_asking = False
            self._probes.hits = met

    def _is_same(self, one: tuple[str, FunctionType], answer: Any, again: Callable[[], Any]) -> bool:
        """Whether to go on to ask: no more where it has decided something else."""
        name, self._stand_in = one
        signal.setitimer(signal.ITIMER_PROF, CPU_S_MAX)
        try:
            other = again()
        except (Exception, _Hang):  # a mistake may raise whatever it likes
            self.decides.add(name)
            return False
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if _decided(other) != _decided(answer):
            self.decides.add(name)
            return False
        if name not in self.tells and _told(other) != _told(answer):
            self.tells.add(name)
        return True


def _decided(answer: Any) -> Any:
    return (type(answer.value), answer.value, answer.granted) if isinstance(answer, Ruling) else (type(answer), answer)


def _told(answer: Any) -> Any:
    return (answer.reason, answer.numbers) if isinstance(answer, Ruling) else None


def _like(function: FunctionType, code: Any) -> FunctionType:
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _asking(number: int) -> Any:
    """The code that stands in a rule's place."""
    source = f"def asking(*given, **named):\n    return {ASKED}.called({number}, given, named)\n"
    return next(one for one in compile(source, ASKED, "exec").co_consts if hasattr(one, "co_name"))
