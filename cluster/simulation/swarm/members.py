"""Members of a consumer group among the load of the swarm: they come, leave, die, stand still and come back."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cluster.simulation.swarm.planned import PlannedGroup

ORDER_SHARE = 0.06
"""Of the looks at which something is done to a member."""
ORDERS = ("leave", "kill", "kill", "pause", "resume", "commit")
COMMITS = ("auto", "each", "each", "no")
STATIC_SHARE = 0.2


class SwarmMembers:
    """Keeps as many members at work as planned. All it does is a command."""

    __slots__ = ("_group", "_members", "_number", "_paused", "_random", "_send")

    def __init__(self, random: Random, send: Callable[[str], bool], group: PlannedGroup) -> None:
        """`send` carries out one command; false when it was refused."""
        self._random, self._send, self._group = random, send, group
        self._number = 0
        self._members: list[str] = []
        self._paused: list[str] = []

    def look(self) -> None:
        """Have new members come for those that are gone; now and then do something to one."""
        random, group = self._random, self._group
        while len(self._members) < group.members:
            self._number += 1
            name = f"{group.name}-{self._number}"
            static = f" instance=s{random.randint(1, group.members)}" if random.random() < STATIC_SHARE else ""
            kind = f"protocol={group.protocol} assignor={group.assignor}"
            text = f"consume {','.join(group.topics)} group={group.name} member={name} {kind}{static}"
            if not self._send(f"{text} commit={random.choice(COMMITS)}"):
                return
            self._members.append(name)
        if self._members and random.random() < ORDER_SHARE:
            self._order(random.choice(self._members), random.choice(ORDERS))

    def _order(self, name: str, order: str) -> None:
        if order == "resume" and self._paused:
            name = self._paused.pop(0)
        is_done = self._send(f"member {name} {order}")
        if order in ("leave", "kill") and (is_done or name not in self._paused):
            self._members.remove(name)
            self._paused = [other for other in self._paused if other != name]
        elif order == "pause" and is_done:
            self._paused.append(name)

    def calm(self) -> None:
        """Nobody stands still any more."""
        while self._paused:
            self._send(f"member {self._paused.pop()} resume")
