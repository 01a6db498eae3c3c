"""Node 1 with a link machine of its own, to be told things by hand. The channels are names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cluster.faults.effects_on_links import CutLink, DelayedLink, LimitedLink, LinkRules
from cluster.links.frame import Frame
from cluster.links.machine import NS_PER_MS, LinkMachine
from cluster.links.vocabulary import (
    Accepted,
    Connected,
    RequestOut,
    RulesChanged,
    SetTimer,
    Tell,
    TimerFired,
    Write,
)
from cluster.model.events import FramesHeld, FramesReleased, LinkReset
from cluster.model.messages import MetadataRequest

PATIENCE_MS = 1_000
CUT, BACK = CutLink(source=1, target=2), CutLink(source=2, target=1)
SLOW = LimitedLink(source=1, target=2, bytes_per_second=1_000)


def delayed(delay_ms: int, jitter_ms: int = 0) -> DelayedLink:
    return DelayedLink(source=1, target=2, delay_ms=delay_ms, jitter_ms=jitter_ms)


@dataclass(eq=False)
class Line:
    """A connection as the machine sees it."""

    peer: int
    is_call: bool = True
    is_open: bool = True


class One:
    """Node 1, its clock, and the timers it has set."""

    def __init__(self, *, observed: bool = False) -> None:
        self.draws = 0.5
        self.seen: list[Any] = []
        observe = (lambda event, *_: self.seen.append(event)) if observed else None
        self.links: LinkMachine[Line] = LinkMachine(1, (1, 2, 3), PATIENCE_MS, lambda: self.draws, observe)
        self.now_ns = 5_000 * NS_PER_MS
        self.timers: list[tuple[int, Any]] = []

    def handle(self, happened: Any) -> list[Any]:
        effects = self.links.handle(happened, self.now_ns)
        for effect in effects:
            if isinstance(effect, SetTimer):
                self.timers.append((self.now_ns + effect.delay_ns, effect.timer))
        return [effect for effect in effects if not isinstance(effect, SetTimer)]

    def after(self, ms: int) -> list[Any]:
        """Let time pass; what the timers that ran out led to."""
        end_ns = self.now_ns + ms * NS_PER_MS
        effects = []
        while self.timers and min(self.timers)[0] <= end_ns:
            due = min(self.timers)
            self.timers.remove(due)
            self.now_ns = due[0]
            effects += self.handle(TimerFired(due[1]))
        self.now_ns = end_ns
        return effects

    def ask(self, *numbers: int, target: int = 2) -> list[Any]:
        return [effect for number in numbers for effect in self.handle(RequestOut(target, frame(number)))]

    def apply(self, *faults: Any) -> list[Any]:
        return self.handle(RulesChanged(LinkRules(faults)))

    def connected(self) -> Line:
        """With a connection to node 2 over which request 0 has left."""
        (wanted,) = self.ask(0)
        line = Line(2)
        assert self.handle(Connected(line, wanted.attempt))[1:] == [Write(line, frame(0))]
        return line

    def accepted(self, peer: int = 2) -> Line:
        line = Line(peer, is_call=False)
        assert self.handle(Accepted(line)) == []
        return line


def frame(number: int, sender: int = 1, size: int = 1) -> Frame:
    return Frame(sender, number, MetadataRequest(topics=("t" * size,)))


def written(line: Line, *numbers: int) -> list[Write[Line]]:
    return [Write(line, frame(number)) for number in numbers]


def held(source: int, target: int) -> Tell:
    return Tell(FramesHeld(source=source, target=target, message="MetadataRequest"), f"cut {source}>{target}")


def released(source: int, target: int, count: int) -> Tell:
    return Tell(FramesReleased(source=source, target=target, count=count), "healed")


def was_reset(count: int, trigger: str = "held too long") -> Tell:
    return Tell(LinkReset(source=1, target=2, held_count=count), trigger)
