"""Two votes on one question: each alone, then again after talking (peer instruction, Mazur 1997)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

ROUNDS = 2


class Asked(NamedTuple):
    """The question of a step, as the class reads it."""

    heading: str
    text: str
    choices: tuple[str, ...]
    """Shown as a, b, c, d."""

    @property
    def letters(self) -> str:
        """Those that can be chosen."""
        return "abcd"[: len(self.choices)]


class Tally(NamedTuple):
    """What the lecturer sees of the votes so far."""

    round: int
    """1 or 2; 0 while nothing is asked."""
    is_open: bool
    answers: int
    """Of the present round."""
    counted: tuple[tuple[int, ...], ...]
    """Of each round that is closed: how many chose each option."""


class Seen(NamedTuple):
    """What one voter is shown."""

    asked: Asked | None
    number: int
    """Of the question."""
    turn: int
    """1 or 2, the vote."""
    is_open: bool
    letter: str
    """What this voter chose in the present round; empty before."""


@dataclass(slots=True)
class Votes:
    """Of the question on screen. Called from the screen and from the threads that serve the class."""

    asked: Asked | None = None
    is_open: bool = False
    number: int = 0
    """Of the question, from 1: a page that was sent before names an older one."""
    _rounds: list[dict[str, str]] = field(default_factory=list)
    """Voter -> letter of each round."""
    _lock: Lock = field(default_factory=Lock)

    def ask(self, asked: Asked | None, *, takes: bool) -> None:
        """Put up what the screen asks; another question begins with no votes. takes: the step has not run yet."""
        with self._lock:
            if asked != self.asked:
                self.asked, self._rounds, self.is_open = asked, [{}], asked is not None
                self.number += 1
            self.is_open = self.is_open and takes

    def next_round(self) -> str:
        """Close the vote, or open the second; tells what became of it."""
        with self._lock:
            if self.asked is None:
                return "nothing is asked here"
            if self.is_open:
                self.is_open = False
                return f"vote {len(self._rounds)} is closed"
            if len(self._rounds) == ROUNDS:
                return "both votes are counted"
            self._rounds.append({})
            self.is_open = True
            return "the second vote is open: talk with your neighbour, then vote again"

    def vote(self, voter: str, number: int, letter: str) -> bool:
        """Whether it counts: only the newest of a voter does, while the vote is open."""
        with self._lock:
            counts = (
                self.asked is not None and self.is_open and number == self.number and letter in set(self.asked.letters)
            )
            if counts:
                self._rounds[-1][voter] = letter
            return counts

    def seen_by(self, voter: str) -> Seen:
        """What this voter's page says now."""
        with self._lock:
            letter = self._rounds[-1].get(voter, "") if self._rounds else ""
            return Seen(self.asked, self.number, len(self._rounds), self.is_open, letter)

    def tally(self) -> Tally:
        """As it stands now."""
        with self._lock:
            if self.asked is None:
                return Tally(0, False, 0, ())
            closed = self._rounds[: len(self._rounds) - self.is_open]
            letters = self.asked.letters
            counted = tuple(tuple(Counter(each.values())[letter] for letter in letters) for each in closed)
            return Tally(len(self._rounds), self.is_open, len(self._rounds[-1]), counted)
