"""What may be another in a run that is played once more: a setting, acks, a disk that tells the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.faults.disks import FsyncLie, FsyncLieDir
from cluster.faults.grammar import CommandError, parse_command
from cluster.faults.plucking import Pluck
from cluster.language.command import Command
from cluster.language.topics import CreateTopic, Load, Produce
from cluster.model.settings import CHOICES, Settings, setting_names

OFFERS = (
    "acks=1", "acks=all", "disk=honest", "truncation=hw", "truncation=fetch", "min-isr=1", "min-isr=2", "unclean=on",
    "plucks=none", "pre_vote=off", "elr=off", "flush_partitions=on", "commit_rule=majority",
)  # fmt: skip
"""Changes that a class asks for most. Any setting that is on or off, or a number, may be named."""
SHORT = {"truncation": "truncation_mode", "unclean": "unclean_leader_election", "fsync": "flush_partitions"}
ACKS = {"all": -1, "1": 1, "0": 0}
SAYS = {
    "acks": "producers that ask for acks={}", "disk": "disks that tell the truth", "plucks": "no message plucked",
    "min-isr": "min.insync.replicas={}",
    "truncation_mode": "followers that cut by the rule {}",
}  # fmt: skip


class WhatIfError(Exception):
    """A change that cannot be made, or a run that cannot be played again. The message is one sentence for people."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is to be another."""

    name: str
    """acks, disk, plucks, min-isr, or a setting."""
    value: str

    @property
    def words(self) -> str:
        """In a few words."""
        return SAYS.get(self.name, f"{self.name}={{}}").format(self.value)

    def edit(self, command: str) -> str:
        """A command with the change; empty when it is not to be given."""
        try:
            told: Command = parse_command(command)
        except CommandError:
            return command
        if self.name == "acks" and isinstance(told, Produce | Load):
            return str(replace(told, acks=ACKS[self.value]))
        if self.name == "min-isr" and isinstance(told, CreateTopic):
            return str(replace(told, min_isr=min(int(self.value), told.replicas)))
        dropped = {"disk": FsyncLie | FsyncLieDir, "plucks": Pluck}.get(self.name)
        return "" if dropped is not None and isinstance(told, dropped) else command

    def settings(self, before: Settings) -> Settings:
        """The settings with the change."""
        if self.name not in setting_names():
            return before
        present = getattr(before, self.name)
        value: Any = self.value == "on" if isinstance(present, bool) else type(present)(self.value)
        return replace(before, **{self.name: value})


@dataclass(frozen=True, slots=True)
class Changes:
    """Several things that are to be others."""

    each: tuple[Change, ...]

    @property
    def words(self) -> str:
        """In a few words."""
        return ", ".join(change.words for change in self.each)

    def edit(self, command: str) -> str:
        """A command with all of them; empty when it is not to be given."""
        for change in self.each:
            command = change.edit(command) if command else ""
        return command

    def cluster(self, spec: ClusterSpec) -> ClusterSpec:
        """The cluster of the second world."""
        settings = spec.settings
        for change in self.each:
            settings = change.settings(settings)
        return replace(spec, settings=settings, title=f"{spec.title}, with {self.words}"[:200])


def changes_of(text: str) -> Changes:
    """What was typed, for example "acks=1 truncation=hw". WhatIfError says what there is, or what is named twice."""
    each = tuple(change_of(word) for word in text.split())
    if not each:
        raise WhatIfError(f"changes are NAME=VALUE, such as {', '.join(OFFERS[:4])}")
    names = [change.name for change in each]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise WhatIfError(f"{twice} is named twice")
    return Changes(each)


def change_of(text: str) -> Change:
    """What was typed, for example acks=1 or truncation=hw. WhatIfError says what there is."""
    name, equals, value = (part.strip() for part in text.strip().partition("="))
    name = SHORT.get(name, name)
    if not equals:
        raise WhatIfError(f"a change is NAME=VALUE, such as {', '.join(OFFERS[:4])}")
    allowed = _allowed(name)
    if not allowed:
        raise WhatIfError(f"'{name[:40]}' is nothing that can be changed; there are {', '.join(OFFERS)}, and settings")
    if allowed == "a number" and value.isascii() and value.isdigit() and 0 < int(value) < 1 << 31:
        return Change(name, value)
    if value not in allowed.split(", "):
        raise WhatIfError(f"{name}: '{value[:40]}'; allowed: {allowed}")
    return Change(name, value)


def _allowed(name: str) -> str:
    known = {"acks": ", ".join(ACKS), "disk": "honest", "plucks": "none", "min-isr": ", ".join(map(str, range(1, 10)))}
    if name not in setting_names() or name == "trace":
        return known.get(name, "")
    present = getattr(Settings(), name)
    if isinstance(present, bool):
        return "on, off"
    return ", ".join(CHOICES[name]) if isinstance(present, str) else "a number"
