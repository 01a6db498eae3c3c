"""Rules: the decisions of the machines as pure functions, each with its source, and what a rule answers.

A rule is a function of facts alone. Its name is its own name everywhere: in the code, in the trace, on the screen. Its
handler goes by the value that the rule answers, and gives the evidence to the event that tells of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import getdoc
from typing import Any, Final, Generic, ParamSpec, TypeAlias, TypeVar

from msgspec import Struct, field

from cluster.model.errors import ErrorCode
from cluster.model.positional import Positional


class Decision(Positional):
    """The answer of one rule. Shown by "why?"."""

    rule: str
    """Name of the rule function, for example grant_vote."""
    granted: bool
    """Whether the rule said yes."""
    reason: str
    """One short clause in plain words."""
    source: str
    """KIP, paper section or Kafka class."""
    numbers: dict[str, int | str | list[int]] = field(default_factory=dict)
    """What was compared, by name."""


Numbers: TypeAlias = dict[str, int | str | list[int]]
"""What a rule compared, by name."""
Given = ParamSpec("Given")
Value = TypeVar("Value")
NOTHING_COMPARED: Final[Numbers] = {}
_MARK = "__rule__"


class Rule(Struct, frozen=True, kw_only=True):
    """What is known of one rule."""

    name: str
    """That of its function."""
    says: str
    """The first sentence of its docstring."""
    source: str
    """KIP or section of the paper."""
    kafka: str
    """What Kafka calls it: Class.method. Empty where Kafka has no such function."""
    told_source: str
    """Source and Kafka's name, as evidence tells them."""
    function: Callable[..., Ruling[Any]]
    """As written, without what `rule` adds."""


class Ruling(Struct, Generic[Value], gc=False):
    """The answer of a rule. A struct that is cheap to make: a busy leader asks for thousands each second."""

    value: Value
    """What was decided; all that a handler may go by besides `granted`."""
    granted: bool
    """Whether the rule said yes: whether something was allowed, or something moves."""
    reason: str
    """One short clause in plain words."""
    numbers: Numbers = NOTHING_COMPARED
    """Evidence for people. Left out where nothing happens and so nothing is told."""
    rule: Rule | None = None
    """The rule that answered; filled in by `rule`."""

    @property
    def with_evidence(self) -> tuple[Value, Decision]:
        """For a handler that tells of it whatever the answer is."""
        return self.value, self.decision

    @property
    def decision(self) -> Decision:
        """The evidence, as an event carries it."""
        named_rule = self.rule
        assert named_rule is not None, "a ruling is made by a function that is marked as a rule"
        return Decision(named_rule.name, self.granted, self.reason, named_rule.told_source, self.numbers)


def rule(
    *, source: str = "", kafka: str = ""
) -> Callable[[Callable[Given, Ruling[Value]]], Callable[Given, Ruling[Value]]]:
    """Mark a function as a rule. Its docstring begins with what the rule says.

    Args:
        source: KIP or section of the paper that it comes from.
        kafka: Class.method in Kafka's source, where there is one.
    """

    def marked(function: Callable[Given, Ruling[Value]]) -> Callable[Given, Ruling[Value]]:
        says = (getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
        told_source = ", ".join(part for part in (source, kafka and f"Kafka {kafka}") if part)
        marked_rule = Rule(
            name=function.__name__,
            says=says,
            source=source,
            kafka=kafka,
            told_source=told_source,
            function=function,
        )

        @wraps(function)
        def ruled(*given: Given.args, **named: Given.kwargs) -> Ruling[Value]:
            ruling = function(*given, **named)
            ruling.rule = marked_rule
            return ruling

        setattr(ruled, _MARK, marked_rule)
        return ruled

    return marked


def rule_of(function: object) -> Rule | None:
    """What is known of a function; None for one that is no rule."""
    return getattr(function, _MARK, None)


def yes_or_no(granted: bool, reason: str, numbers: Numbers = NOTHING_COMPARED) -> Ruling[bool]:  # noqa: FBT001
    """The answer of a rule that allows something or does not."""
    return Ruling(granted, granted, reason, numbers)


def error_or_none(error: ErrorCode, reason: str, numbers: Numbers = NOTHING_COMPARED) -> Ruling[ErrorCode]:
    """The answer of a rule that refuses with an error; ErrorCode.NONE is yes."""
    return Ruling(error, error == ErrorCode.NONE, reason, numbers)
