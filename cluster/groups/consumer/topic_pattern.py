"""Subscriptions by pattern, in time linear in the topic's name whatever the pattern. Source: KIP-848; RE2 syntax.

A coordinator must not be kept busy by a pattern, so it is not given to a matcher that steps back: it becomes a small
program whose states are all followed at once (Thompson 1968), as RE2 does for Kafka. A whole name has to match. Of
RE2's syntax this knows literals, dots, classes, groups, alternatives, repetitions, anchors, and escapes of ASCII.
"""

from __future__ import annotations

import string
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, assert_never

LEGAL: Final = frozenset(string.ascii_letters + string.digits + "._-")
"""What a topic's name is made of."""
LENGTH_MAX, STEPS_MAX, DEPTH_MAX, REPEAT_MAX = 1_000, 5_000, 50, 1_000
_DIGITS, _WORD = frozenset(string.digits), frozenset(string.ascii_letters + string.digits + "_")
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": frozenset(), "D": LEGAL - _DIGITS, "W": LEGAL - _WORD, "S": LEGAL}
_ANCHORS: Final = {"^": "begin", "$": "end", "A": "begin", "z": "end"}


class Chars(NamedTuple):
    """One character of these."""

    chars: frozenset[str]


class Anchor(NamedTuple):
    """The beginning or the end of the name."""

    kind: str


class Cat(NamedTuple):
    """Parts that match one after the other."""

    parts: tuple[Node, ...]


class Alt(NamedTuple):
    """Matches where the first or the second does."""

    first: Node
    second: Node


class Repeat(NamedTuple):
    """So often; None is as often as there is."""

    part: Node
    least: int
    most: int | None


Node: TypeAlias = "Chars | Anchor | Cat | Alt | Repeat"


class Step(NamedTuple):
    """One step of a program."""

    kind: str
    """chars, split, jump, begin, end, match."""
    chars: frozenset[str] = frozenset()
    """What takes it to the next step."""
    other: int = 0
    """Where a split goes beside the next step, or a jump instead of it."""


class PatternError(Exception):
    """A pattern that cannot be read; says why."""


@lru_cache(maxsize=16_384)
def matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name. PatternError when it cannot be read."""
    program = compiled(pattern)
    now = _follow(program, {0}, 0, len(name))
    for place, char in enumerate(name, start=1):
        after = {step + 1 for step in now if char in program[step].chars}
        if not after:
            return False
        now = _follow(program, after, place, len(name))
    return any(program[step].kind == "match" for step in now)


def _follow(program: tuple[Step, ...], steps: set[int], place: int, length: int) -> set[int]:
    """All steps that are reached without another character."""
    reached: set[int] = set()
    waiting = sorted(steps)
    while waiting:
        step = waiting.pop()
        if step in reached:
            continue
        reached.add(step)
        kind = program[step].kind
        if kind in ("jump", "split"):
            waiting.append(program[step].other)
        if kind == "split" or (kind == "begin" and place == 0) or (kind == "end" and place == length):
            waiting.append(step + 1)
    return reached


@lru_cache(maxsize=256)
def compiled(pattern: str) -> tuple[Step, ...]:
    """The program of a pattern. PatternError when it cannot be read, or would be too long."""
    if len(pattern) > LENGTH_MAX:
        raise PatternError(f"longer than {LENGTH_MAX} characters")
    reader = _Reader(pattern)
    node = reader.alternatives(0)
    if not reader.is_done:
        raise PatternError("a ) without its (")
    program: list[Step] = []
    _emit(program, node)
    return (*program, Step("match"))


def _emit(program: list[Step], node: Node) -> None:
    if len(program) > STEPS_MAX:
        raise PatternError("too long when its repetitions are written out")
    match node:
        case Chars(chars=chars):
            program.append(Step("chars", chars))
        case Anchor(kind=kind):
            program.append(Step(kind))
        case Cat(parts=parts):
            for part in parts:
                _emit(program, part)
        case Alt(first=first, second=second):
            split = _reserve(program)
            _emit(program, first)
            jump = _reserve(program)
            program[split] = Step("split", other=len(program))
            _emit(program, second)
            program[jump] = Step("jump", other=len(program))
        case Repeat():
            _emit_repeat(program, node)
        case _:
            assert_never(node)


def _emit_repeat(program: list[Step], node: Repeat) -> None:
    for _ in range(node.least):
        _emit(program, node.part)
    if node.most is None:
        split = _reserve(program)
        _emit(program, node.part)
        program.append(Step("jump", other=split))
        program[split] = Step("split", other=len(program))
        return
    splits = []
    for _ in range(node.most - node.least):
        splits.append(_reserve(program))
        _emit(program, node.part)
    for split in splits:
        program[split] = Step("split", other=len(program))


def _reserve(program: list[Step]) -> int:
    """A place for a step that is known later."""
    program.append(Step("jump"))
    return len(program) - 1


class _Reader:
    """Reads a pattern from left to right."""

    __slots__ = ("_place", "_text")

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0

    @property
    def is_done(self) -> bool:
        return self._place >= len(self._text)

    def _take(self, prefix: str) -> bool:
        if not self._text.startswith(prefix, self._place):
            return False
        self._place += len(prefix)
        return True

    def _next(self) -> str:
        if self.is_done:
            raise PatternError("it ends too early")
        self._place += 1
        return self._text[self._place - 1]

    def alternatives(self, depth: int) -> Node:
        if depth > DEPTH_MAX:
            raise PatternError(f"groups more than {DEPTH_MAX} deep")
        node = self._sequence(depth)
        return Alt(node, self.alternatives(depth)) if self._take("|") else node

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while not self.is_done and self._text[self._place] not in "|)":
            parts.append(self._repeated(self._atom(depth)))
        return Cat(tuple(parts))

    def _atom(self, depth: int) -> Node:
        char = self._next()
        if char == "(":
            if self._take("?") and not self._take(":"):
                raise PatternError("flags and named groups are not supported here")
            node = self.alternatives(depth + 1)
            if not self._take(")"):
                raise PatternError("a ( without its )")
            return node
        if char == "[":
            return Chars(self._class())
        if char == ".":
            return Chars(LEGAL)
        if char in "^$":
            return Anchor(_ANCHORS[char])
        if char == "\\":
            return self._escaped()
        if char in "*+?":
            raise PatternError(f"nothing to repeat before {char}")
        return Chars(frozenset(char))

    def _escaped(self) -> Node:
        char = self._next()
        if char in "Az":
            return Anchor(_ANCHORS[char])
        return Chars(self._escape(char))

    @staticmethod
    def _escape(char: str) -> frozenset[str]:
        if char in _CLASSES:
            return _CLASSES[char]
        if char.isalnum():
            raise PatternError(f"\\{char} is not supported here")
        return frozenset(char)

    def _class(self) -> frozenset[str]:
        is_not, signs, is_first = self._take("^"), set[str](), True
        while is_first or not self._take("]"):
            char, is_first = self._next(), False
            if char == "[" and self._take(":"):
                raise PatternError("[:classes:] are not supported here")
            some = self._escape(self._next()) if char == "\\" else frozenset(char)
            is_range = len(some) == 1 and self._text[self._place : self._place + 1] == "-"
            if is_range and self._text[self._place + 1 : self._place + 2] not in ("]", ""):
                self._place += 1
                last = self._next()
                last = min(self._escape(self._next())) if last == "\\" else last
                low = min(some)
                if last < low:
                    raise PatternError(f"the range {low}-{last} goes backwards")
                some = frozenset(item for item in LEGAL if low <= item <= last)
            signs |= some
        return LEGAL - signs if is_not else frozenset(signs)

    def _repeated(self, node: Node) -> Node:
        if self._take("*"):
            return self._once(Repeat(node, 0, None))
        if self._take("+"):
            return self._once(Repeat(node, 1, None))
        if self._take("?"):
            return self._once(Repeat(node, 0, 1))
        counts = self._counts()
        return node if counts is None else self._once(Repeat(node, *counts))

    def _once(self, node: Node) -> Node:
        self._take("?")
        if not self.is_done and self._text[self._place] in "*+?":
            raise PatternError("a repetition of a repetition")
        return node

    def _counts(self) -> tuple[int, int | None] | None:
        """{2}, {2,} or {2,5}; anything else in braces is itself."""
        end = self._text.find("}", self._place)
        if end < 0 or not self._text.startswith("{", self._place):
            return None
        first, comma, last = self._text[self._place + 1 : end].partition(",")
        if not (first.isascii() and first.isdigit() and (not last or (last.isascii() and last.isdigit()))):
            return None
        least = int(first)
        most = int(last) if last else None if comma else least
        if max(least, most or 0) > REPEAT_MAX or (most is not None and most < least):
            raise PatternError("a bad number of repetitions")
        self._place = end + 1
        return least, most
