"""Producers with transactions among the load of the swarm: they commit, abort, run out of time, and have successors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from cluster.model.identifiers import TopicPartition
from cluster.model.settings import Settings

EVERY_S = (0.05, 0.2, 1.0)
PRODUCERS = (1, 2, 3)
SUCCESSOR_SHARE = 0.08
"""Of the steps that are not refused, those at which another producer takes over the id of one that goes on."""
PATIENCE = 20
"""Refusals in a row after which the next producer may come all the same: this one may never get through."""
END_SHARE, COMMIT_SHARE = 0.35, 0.6
LATE_SHARE = 0.1
"""Of the writes that stay on their way; they arrive behind the end of their transaction, or never."""
VERIFIED_SHARE = 0.9
"""Of the seeds in which leaders ask before a transaction begins: what the others break is excused."""
READ_SHARE = 0.3
"""Of the steps with a reader of committed records beside them."""

Where: TypeAlias = Callable[[], list[TopicPartition]]
Passing: TypeAlias = Callable[[float], None]


@dataclass(slots=True)
class _Producer:
    transactional_id: str
    name: str
    version: int
    is_open: bool = False
    has_late: bool = False
    refused: int = 0
    """Commands in a row: it is at work, or fenced."""


def with_transactions(random: Random, settings: Settings) -> tuple[Settings, float]:
    """Coordinators that look often for what is out of time; and the mean time between two steps."""
    changed = replace(
        settings,
        transaction_state_partitions=random.choice((1, 2)),
        transaction_state_replicas=random.choice((2, 3, 3)),
        transaction_state_min_isr=random.choice((1, 2, 2)),
        transaction_abort_interval_ms=random.choice((200, 1_000)),
        transaction_verification=random.random() < VERIFIED_SHARE,
    )
    return changed, random.choice(EVERY_S)


class SwarmTransactions:
    """Has producers go on step by step. All it does is a command."""

    __slots__ = ("_every_s", "_made", "_next_s", "_producers", "_random", "_send")

    def __init__(self, random: Random, send: Callable[[str], bool], every_s: float) -> None:
        """
        Args:
            send: carries out one command; false when it was refused.
            every_s: mean time between two steps; 0 for no producers.
        """
        self._random, self._send, self._every_s = random, send, every_s
        self._next_s, self._made = 0.0, 0
        count = random.choice(PRODUCERS) if every_s else 0
        self._producers = [self._new(f"t{number}") for number in range(count)]

    def _new(self, transactional_id: str) -> _Producer:
        """The next producer of an id; whoever had it before is a zombie, which knows nothing of that."""
        self._made += 1
        return _Producer(transactional_id, f"x{self._made}", self._random.choice((1, 2, 2)))

    def advance(self, now_s: Callable[[], float], partitions: Where, passing: Passing, seconds: float) -> None:
        """Let so much time pass, and have producers go on in it at their own pace, however rare faults are.

        Args:
            now_s: the virtual clock.
            partitions: of all topics that are there by then.
            passing: lets time pass, in seconds.
        """
        end_s = now_s() + seconds
        while self._producers and self._next_s < end_s and (found := partitions()):
            passing(max(0.0, self._next_s - now_s()))
            self.step(found)
            self._next_s = now_s() + self._random.expovariate(1 / self._every_s)
        passing(max(0.0, end_s - now_s()))

    def step(self, partitions: list[TopicPartition]) -> None:
        """The next step of some producer."""
        if not self._producers:
            return
        random = self._random
        place = random.randrange(len(self._producers))
        zombie = self._producers[place]
        if not 0 < zombie.refused < PATIENCE and random.random() < SUCCESSOR_SHARE:
            self._producers[place] = self._new(zombie.transactional_id)
            self._end(zombie)  # it may have something on its way all the same
        self._step(self._producers[place], random.choice(partitions))
        if random.random() < READ_SHARE:
            self._send(f"consume {random.choice(partitions)} from=0 isolation=read_committed wait=no")

    def _step(self, producer: _Producer, where: TopicPartition) -> None:
        random, name = self._random, producer.name
        if not producer.is_open:
            timeout_ms = random.choice((1_000, 3_000, 10_000))
            kind = f"id={producer.transactional_id} version={producer.version} timeout={timeout_ms}ms"
            self._try(producer, f"txn begin {name} {kind}")
            producer.is_open = True  # or it was refused because it is open, or at work
        elif random.random() < END_SHARE:
            self._end(producer)
        else:
            self._made += 1
            late = random.random() < LATE_SHARE
            text = f"txn produce {name} {where} {random.randint(1, 3)} value=y{self._made}"
            is_sent = self._try(producer, f"{text}{' late=yes' * late}")
            producer.has_late = producer.has_late or (late and is_sent)

    def _try(self, producer: _Producer, command: str) -> bool:
        is_sent = self._send(f"{command} wait=no")
        producer.refused = 0 if is_sent else producer.refused + 1
        return is_sent

    def _end(self, producer: _Producer) -> None:
        """Commit or abort. What was late arrives behind that, sometimes."""
        how = "commit" if self._random.random() < COMMIT_SHARE and not producer.has_late else "abort"
        if self._try(producer, f"txn {how} {producer.name}"):
            producer.is_open = False
        elif self._try(producer, f"txn abort {producer.name}") or self._random.random() < 0.3:
            producer.is_open = False  # it cannot commit, or is at work, or is fenced
        if producer.has_late and self._random.random() < 0.5:
            producer.has_late = not self._send(f"txn arrive {producer.name} wait=no")
