"""What a rule decided and why: the numbers it compared and the place the rule comes from."""

from __future__ import annotations

from msgspec import field

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
