"""What run.json says of a run, and what it may say: a run folder may come from anybody."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeGuard

import msgspec

from cluster.cluster_spec import ClusterSpec, Options
from cluster.model.identifiers import FIRST_CONTROLLER_ID, OF_ONE_ROLE_MAX, NodeId
from cluster.model.settings import ZOOKEEPER, Settings, setting_complaint
from cluster.runtime.run.ports import HIGHEST_PORT, complaint

FIRST_VERSION = "1.0"
VERSION = "1.2"
"""Of the form of a run folder. A minor step adds what an older tool leaves out; a major one cannot be read by it."""
RUN_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
NAME = "a-z, 0-9, . _ and -, at most 64 of them"
STATES = ("starting", "running", "ended", "abandoned")
WORLDS = ("processes", "simulated")
SEED_MAX = (1 << 64) - 1
COUNT_MAX = (1 << 63) - 1
SHOWN_MAX = 100
_FORM = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})?|")
_PLACE = re.compile(r" - at `\$\.(\w+).*`$")


class BadFacts(ValueError):
    """A field of run.json holds what it may not. str() names it, its value, made visible, and what is allowed."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        shown = ascii(value)
        shown = shown if len(shown) <= SHOWN_MAX else f"{shown[:SHOWN_MAX]}..."
        super().__init__(f"{name} is {shown}; needed: {allowed}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What run.json says."""

    id: str
    """Name of the folder."""
    title: str
    """What is being run."""
    created: str
    """Local time, ISO 8601."""
    state: str
    """starting, running, ended, or abandoned: its lab ended it because nobody owned it any more."""
    controllers: tuple[NodeId, ...]
    """The voters of the quorum; with control=zookeeper, the coordinator."""
    brokers: tuple[NodeId, ...]
    """All brokers; a node in both has both roles."""
    settings: dict[str, Any]
    world: str = "processes"
    """processes or simulated."""
    seed: int | None = None
    """All that was left to chance in a simulated run; None for processes."""
    options: dict[str, Any] = field(default_factory=dict)
    """What a simulated machine and its network cost in time; empty for the defaults."""
    given: tuple[str, ...] = ()
    """What a script laid down before a simulated run began, as written."""
    parent: str = ""
    """Id of the run that this one branched from; empty for one that began at its beginning."""
    branch_events: int = 0
    """Events that it shares with its parent: the first ones, byte for byte."""
    branch_s: float = 0.0
    """Seconds from the parent's beginning to there."""
    base_port: int | None = None
    """Asked for; None lets the lab choose."""
    duration_s: float | None = None
    """Ends by itself after this long; None for never."""
    detached: bool = False
    """Whether it outlives the screen that started it."""
    ports: dict[NodeId, int] | None = None
    """Loopback port of every node, once they listen."""
    client_ports: dict[NodeId, int] | None = None
    """Loopback port for Kafka clients of every broker, once they listen; None in a simulation."""
    lab_pid: int = 0
    """Process that owns the nodes."""
    clock_shift_ns: int = 0
    """From the machine's monotonic clock to the run's, which stands still while the run is over; 0 until it is."""
    boot: str = ""
    """Which start of the machine it ran on last; empty where the system does not say."""
    version: str = ""
    """Of the form of the run folder: major.minor; empty for FIRST_VERSION."""

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """All nodes, controllers first, in the order they are started."""
        return tuple(dict.fromkeys((*self.controllers, *self.brokers)))

    @property
    def is_zookeeper(self) -> bool:
        """Whether its one controller is the coordinator that stands for a ZooKeeper ensemble."""
        return self.settings.get("control") == ZOOKEEPER

    @property
    def deciders(self) -> tuple[NodeId, ...]:
        """Who may be asked for what a controller does."""
        return self.brokers if self.is_zookeeper else self.controllers

    @property
    def bootstrap(self) -> tuple[str, ...]:
        """What Kafka clients are pointed at, host:port of every broker; empty in a simulation, and before it is up."""
        return tuple(f"127.0.0.1:{port}" for _, port in sorted((self.client_ports or {}).items()))

    @property
    def spec(self) -> ClusterSpec:
        """The cluster that was begun. TypeError when its options are none."""
        ranges = {name: tuple(value) for name, value in self.options.items() if isinstance(value, list)}
        return ClusterSpec(
            controllers=len(self.controllers), brokers=len(self.brokers), settings=Settings(**self.settings),
            combined=bool(set(self.controllers) & set(self.brokers)), title=self.title, given=self.given,
            seed=self.seed or 0, options=Options(**(self.options | ranges)),
        )  # fmt: skip

    def roles(self, node: NodeId) -> tuple[str, ...]:
        """controller, broker or both; zookeeper or broker in that mode."""
        parts = (("zookeeper" if self.is_zookeeper else "controller", self.controllers), ("broker", self.brokers))
        return tuple(name for name, members in parts if node in members)


def version_of(text: str) -> tuple[int, int]:
    """(major, minor) of a run folder's form. ValueError for anything else."""
    major, _, minor = (text or FIRST_VERSION).partition(".")
    return int(major), int(minor or 0)


def is_form(value: object) -> TypeGuard[str]:
    """Whether it names a form of the run folder."""
    return isinstance(value, str) and _FORM.fullmatch(value) is not None


def checked_facts(plain: object) -> RunFacts:
    """The facts in a parsed run.json. BadFacts for the first field that holds what it may not."""
    if not isinstance(plain, dict):
        raise BadFacts("the file", plain, "an object with the facts of a run")
    version = plain.get("version", "")
    if not is_form(version):
        raise BadFacts("version", version, "MAJOR.MINOR")
    for each in fields(RunFacts):
        if each.default is MISSING and each.default_factory is MISSING and each.name not in plain:
            raise BadFacts(each.name, None, "a value, but it is missing")
    fields_known = {name: plain[name] for name in plain if name in RunFacts.__dataclass_fields__}
    if len(fields_known) < len(plain) and version_of(version) <= version_of(VERSION):
        strange = next(name for name in plain if name not in fields_known)
        raise BadFacts("the name of a field", strange, "one of " + ", ".join(RunFacts.__dataclass_fields__))
    try:
        facts = msgspec.convert(fields_known, RunFacts, str_keys=True)
    except msgspec.ValidationError as error:
        text = str(error)
        name = _PLACE.search(text)[1]  # type: ignore[index]  # an object that lacks nothing fails in one of its fields
        raise BadFacts(name, fields_known[name], _PLACE.sub("", text)) from error
    for name, is_allowed, allowed in _rules(facts):
        if not is_allowed:
            raise BadFacts(name, getattr(facts, name), allowed)
    if wrong := setting_complaint(facts.settings):
        raise BadFacts(f"settings.{wrong[0]}", facts.settings[wrong[0]], wrong[1])
    return facts


def _rules(facts: RunFacts) -> Iterator[tuple[str, bool, str]]:
    """(field, whether it is allowed, what is) where a type does not say it all. Each relies on those before it."""
    yield "id", RUN_ID.fullmatch(facts.id) is not None, NAME
    yield "parent", not facts.parent or RUN_ID.fullmatch(facts.parent) is not None, NAME
    yield "state", facts.state in STATES, ", ".join(STATES)
    yield "world", facts.world in WORLDS, ", ".join(WORLDS)
    voters, members = len(facts.controllers), len(facts.brokers)
    apart, shared = (ClusterSpec(controllers=voters, brokers=members, combined=combined) for combined in (False, True))
    most = OF_ONE_ROLE_MAX
    is_numbered = facts.controllers in (apart.voters, shared.voters)
    yield "controllers", is_numbered and 1 <= voters <= most, f"1 to {most} of them, from 1 or {FIRST_CONTROLLER_ID} on"
    is_one = voters == 1 and not set(facts.controllers) & set(facts.brokers)
    yield "controllers", is_one or not facts.is_zookeeper, "one coordinator apart from brokers with control=zookeeper"
    yield "brokers", facts.brokers == apart.broker_ids and members <= most, f"at most {most} of them, from 1 on"
    yield "ports", _are_ports(facts.ports, facts.nodes), f"for each node one of 1 to {HIGHEST_PORT}"
    yield "client_ports", _are_ports(facts.client_ports, facts.brokers), f"for each broker one of 1 to {HIGHEST_PORT}"
    wrong = "" if facts.base_port is None else complaint(facts.base_port, len(facts.nodes) + len(facts.brokers))
    yield "base_port", not wrong, f"null or a port with room above it: {wrong}"
    yield "seed", facts.seed is None or 0 <= facts.seed <= SEED_MAX, f"null or 0 to {SEED_MAX}"
    for name in ("branch_events", "lab_pid"):
        yield name, 0 <= getattr(facts, name) <= COUNT_MAX, f"0 to {COUNT_MAX}"
    yield "clock_shift_ns", abs(facts.clock_shift_ns) <= COUNT_MAX, f"-{COUNT_MAX} to {COUNT_MAX}"
    yield "branch_s", math.isfinite(facts.branch_s) and facts.branch_s >= 0, "seconds, 0 or more"
    lasts = facts.duration_s
    yield "duration_s", lasts is None or math.isfinite(lasts) and lasts > 0, "null or seconds, more than 0"


def _are_ports(ports: dict[NodeId, int] | None, nodes: tuple[NodeId, ...]) -> bool:
    return ports is None or ports.keys() <= set(nodes) and all(1 <= port <= HIGHEST_PORT for port in ports.values())
