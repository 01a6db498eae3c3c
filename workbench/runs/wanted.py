"""From the options of `lab` and `up` to a cluster: every value is checked before anything is made."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.runs.superuser import is_allowed, is_root
from workbench.support.places import usable_home
from workbench.support.platform import HAS_PROCESSES
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from cluster.cluster_spec import ClusterSpec

CONTROLLERS = 3
"""Unless somebody asks for another number."""
TIMINGS = ("classroom", "kafka")
OFF = "off"
LOADS = "off, or records a second such as 2 or '20 acks=1'"
TOPIC = "orders"
"""What a new lab writes to, and what the lines to paste name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options, as numbers."""

    controllers: int | None = None
    """None for three, and with zookeeper for the one process that stands for the ensemble."""
    brokers: int = 3
    combined: bool = False
    """One process for both roles."""
    spare_controllers: int | None = None
    """Of a dynamic quorum: so many of the controllers do not vote at first; None for a static one."""
    racks: int = 0
    """In so many racks the brokers stand, and consumers read in theirs; 0 for none."""
    timing: str = "classroom"
    """classroom or kafka."""
    slow: float = 1.0
    """Stretches every timer."""
    base_port: int | None = None
    data_dir: str | None = None
    replication_factor: int | None = None
    """Of the first topic; None for as many as three."""
    min_isr: int | None = None
    """Of the first topic; None for two, or one with one replica."""
    duration_s: float | None = None
    """Ends by itself after this long; None for never."""
    control: str = "kraft"
    """kraft or zookeeper."""
    client_auth: bool = False
    """Kafka clients need a password."""
    title: str = "Free lab"
    simulated: bool = False
    """On one heap and one virtual clock instead of real processes."""
    seed: int | None = None
    """Of the simulation; None for 0."""
    beside: str = ""
    """What is another in a second simulated cluster that gets the same commands; empty for none."""
    load: str = ""
    """What follows the command load: a rate and perhaps acks; empty or off for none."""

    @property
    def controller_count(self) -> int:
        """How many there will be."""
        return self.controllers or (CONTROLLERS if self.control == "kraft" else 1)


def first_topic(wanted: Wanted) -> str:
    """The command that makes the topic a new lab starts with; empty without brokers."""
    if not wanted.brokers:
        return ""
    replicas = wanted.replication_factor or min(3, wanted.brokers)
    min_isr = wanted.min_isr or min(2, replicas)
    return f"topic {TOPIC} replicas={replicas} min-isr={min_isr}"


def first_commands(lab: Wanted) -> tuple[str, ...]:
    """What a new lab is told at once: to make its topic, and to write to it and read from it."""
    loads = lab.brokers and lab.load not in ("", OFF)
    return tuple(filter(None, (first_topic(lab), f"load {lab.load}" if loads else "")))


def is_load(words: str) -> bool:
    """Whether these words can follow the command load."""
    from cluster.faults.grammar import CommandError, parse_command

    try:
        parse_command(f"load {words}")
    except CommandError:
        return False
    return True


def cluster_of(wanted: Wanted) -> tuple[Path, ClusterSpec]:
    """Below which folder to begin, and what; warnings go to stderr.

    Refusal when it cannot work, and then nothing was written.
    """
    _check_values(wanted)
    _check_environment()
    from cluster.cluster_spec import ClusterSpec
    from cluster.model.settings import BY_RACK, classroom_timing, kafka_timing

    settings = (classroom_timing() if wanted.timing == "classroom" else kafka_timing()).scaled(wanted.slow)
    is_dynamic, spare = wanted.spare_controllers is not None, wanted.spare_controllers or 0
    settings = replace(
        settings, client_auth=wanted.client_auth, dynamic_quorum=is_dynamic, spare_controllers=spare,
        control=wanted.control, broker_racks=wanted.racks, replica_selector=BY_RACK if wanted.racks else "leader",
    )  # fmt: skip
    home = usable_home(wanted.data_dir)
    _warn_of(wanted)
    tell_of_last(home)
    return home, ClusterSpec(
        controllers=wanted.controller_count, brokers=wanted.brokers, combined=wanted.combined, settings=settings,
        title=wanted.title, seed=wanted.seed or 0,
    )  # fmt: skip


def _check_values(wanted: Wanted) -> None:
    """Each alone, and beside the others."""
    _check_topic(wanted)
    count = wanted.controller_count
    if (wanted.spare_controllers or 0) >= count:
        raise Refusal(USAGE, f"--spare-controllers {wanted.spare_controllers}: of {count} one has to vote")
    if wanted.seed is not None and not wanted.simulated:
        raise Refusal(USAGE, "--seed is for --simulated; real processes have none")
    if wanted.beside and not wanted.simulated:
        raise Refusal(USAGE, "--beside is for --simulated; two clusters of real processes have no clock in common")
    if wanted.load and not is_load(wanted.load):
        raise Refusal(USAGE, f"--load: needs {LOADS}, not '{safe_text(wanted.load, 60)}'")
    if wanted.control != "kraft" and wanted.combined:
        raise Refusal(USAGE, "--combined is for KRaft: with --control zookeeper brokers race to be the controller")
    if wanted.control != "kraft" and wanted.controllers not in (None, 1):
        why = "with --control zookeeper one process stands for the ensemble, and brokers race to be the controller"
        raise Refusal(USAGE, f"--controllers {wanted.controllers} is for KRaft: {why}")
    if wanted.control != "kraft" and wanted.spare_controllers is not None:
        raise Refusal(USAGE, "--spare-controllers is for KRaft: with --control zookeeper nobody votes")
    if wanted.timing not in TIMINGS:
        raise Refusal(USAGE, f"--timing: unknown timing '{safe_text(wanted.timing, 60)}'; choose classroom or kafka")
    if wanted.base_port is None:
        return
    if wanted.simulated:
        raise Refusal(USAGE, "--base-port is for real processes; simulated nodes have no ports")
    from cluster.runtime.run.ports import complaint

    nodes = max(count, wanted.brokers) if wanted.combined else count + wanted.brokers
    if wrong := complaint(wanted.base_port, nodes + wanted.brokers):
        raise Refusal(USAGE if wanted.base_port > 1024 else ENVIRONMENT, f"--base-port {wanted.base_port}: {wrong}")


def _check_topic(wanted: Wanted) -> None:
    replicas = wanted.replication_factor or min(3, max(1, wanted.brokers))
    if wanted.replication_factor is not None and replicas > wanted.brokers:
        raise Refusal(USAGE, f"--replication-factor {replicas}: more replicas than brokers, there are {wanted.brokers}")
    if wanted.min_isr is not None and wanted.min_isr > replicas:
        raise Refusal(
            USAGE, f"--min-isr {wanted.min_isr}: no acks=all write could ever succeed with {replicas} replicas"
        )


def _warn_of(wanted: Wanted) -> None:
    """What will work, though something speaks against it."""
    if is_root() and not is_allowed():
        warn("running as root: the nodes need no rights at all, an ordinary user is safer")
    if wanted.base_port is not None:
        from cluster.runtime.run.ports import warning

        warn(warning(wanted.base_port))
    voters = wanted.controller_count - (wanted.spare_controllers or 0)
    if wanted.control == "kraft" and voters % 2 == 0:
        survives = (voters - 1) // 2
        better = voters + 1 if voters == 2 else voters - 1
        failures = "1 failure" if survives == 1 else f"{survives} failures"
        warn(f"an even quorum of {voters} tolerates {failures}, use {better}")


def _check_environment() -> None:
    """Python runs on this system, with files enough."""
    if os.name != "posix":
        raise Refusal(ENVIRONMENT, "this system has no SIGSTOP and no flock; use WSL2")
    need_files()


def need_files() -> None:
    """Have as many open files allowed as a run can use. Refusal when the system allows fewer than it needs."""
    if not HAS_PROCESSES:
        return
    from cluster.runtime.system_limits import NEEDED, limits, obtain

    if not obtain():
        raise Refusal(
            ENVIRONMENT,
            f"this shell allows {limits()[1]} open files for a process, a node may need {NEEDED}; ulimit -Hn tells"
            " the limit, and a new login shell or whoever runs this system can raise it",
        )


def tell_of_last(home: Path) -> None:
    """Warn of nodes that outlived their lab, and of a newest run that ended though nobody ended it.

    Its screen or its lab was killed, or the machine went down.
    """
    from cluster.runtime.run.folder import RunError, is_alive, read_facts, run_names
    from workbench.runs.find import called
    from workbench.runs.orphans import complaint, state_of

    names = run_names(home)
    for folder in (home / "runs" / name for name in names):
        if is_alive(folder):
            warn(complaint(folder))
    for name in names[-1:]:
        try:
            facts = read_facts(home / "runs" / name)
        except RunError:
            return
        if state_of(home / "runs" / name, facts) == "ended abruptly":
            ways = "replay" if facts.world == "simulated" else "resume, replay"
            run = called(home / "runs" / name)
            warn(f"the run before, {name}, ended abruptly: workbench {ways} or delete {run}")


def warn(text: str) -> None:
    """One line on stderr; nothing for an empty text."""
    if text:
        print(f"workbench: warning: {text}", file=sys.stderr)
