"""What is declared of a kind of event: all that the screen, the protocol of a script and "why?" say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState

GOOD, BAD, WARN, INFO, DIM = "good", "bad", "warn", "info", "dim"
"""How an event is meant: the styles that sentences are shown in. What is DIM is the steady background."""
DEED, ACT, ANSWER, FOLLOW, DECIDE, CUT = "deed", "act", "answer", "follow", "decide", "cut"
"""Phases: what is done to the cluster; who asks, counts what it was answered, or leads; what it is answered; who
follows; what an active controller decides; where a log is cut. An answer is never in one step with its question."""
GAP = "\u2551"
"""Mark of where a run goes on that was over for a while."""
MOVE = "\u25b8"
"""Mark of replicas that begin to move, or do not move any more."""
ABORT = "A"
"""Mark of a transaction that is aborted."""
SCISSORS = "\u2702"
"""Mark of a log that is cut."""

Words: TypeAlias = str | Callable[[Any], str]
"""A template, see template.py; or a function of the event where one template does not do."""


class Cell(NamedTuple):
    """What an event decides, as a step of the run: two words at most, for a narrow cell."""

    phase: str
    text: str | Callable[[Any, str, ClusterState], str]
    """A template, with `who`; or a function of the event, of whose doing it is, and of the cluster with it. Empty
    where it decides nothing."""
    about: str = ""
    """Fields that tell it from another of the same text."""


class Row(NamedTuple):
    """A line of the chart of who asks whom."""

    text: Words
    to: str = ""
    """The field that names who gets it; empty for what a node does alone."""
    tone: str = ""
    """Where it is another than that of the event."""
    few: tuple[Words, ...] = ()
    """The same in ever fewer letters, for narrow columns; what is empty is passed over."""


class Telling(NamedTuple):
    """How one kind of event is told."""

    tone: str
    sentence: Words
    """What whoever wrote it did: its name comes before."""
    cell: Cell | None = None
    row: Row | None = None
    mark: Words = ""
    """On the timeline; empty for what is no moment worth a jump."""
    question: Words = ""
    """What "why?" asks, with `who`; empty where its sentence does."""
    reasons: tuple[str | Callable[[Any, Mapping[str, Any]], str], ...] = ()
    """Why it happened: of templates of its fields and of what its rule compared the first that is whole, or a function
    of both."""
    silence: tuple[str, str] = ("", "")
    """What its rule measured as the time in which somebody was not heard, and who that was, by name."""
    is_detail: bool = True
    """Whether it is a detail of the incident that it belongs to: not what clients, lessons and faults say already."""
    printed: bool | Callable[[Any, Entry], bool] = False
    """Whether the protocol of a script has a line for it: decisions, faults, refusals and cuts; not the background."""


Printed = partial(Telling, printed=True)
"""Of what a script prints."""
