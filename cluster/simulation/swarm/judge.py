"""What is wrong with a simulated run when it ends: rules that were broken, crashes, and what did not come to rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cluster.faults.grammar import FAULTS
from cluster.invariants.all_invariants import DECISIONS
from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.ledger import NEWEST_EPOCH, OF_THE_QUORUM
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import exit_codes
from cluster.model.entry import Entry
from cluster.model.events import FaultApplied, FaultInjected, FaultReverted, FramesHeld, ProcessExited
from cluster.model.identifiers import METADATA, NO_EPOCH, NO_NODE, NodeId, TopicPartition
from cluster.picture.transactions import PREPARED
from cluster.simulation.swarm.blames import Blames
from cluster.simulation.world.cluster import SimulatedCluster

AT_REST, LAGS, CRASH, BLAMED, UNTOLD = "rest", "calm", "exit", "asked", "untold"
RUNNING = "running"
OF_NO_RULE = (AT_REST, LAGS, CRASH, BLAMED, UNTOLD)
"""Findings that are no rules of the checker."""
OLD_TRUNCATION = ("A4",)
"""A broker of before KIP-101 halts for good when its leader's log is shorter than its own; later logs may differ."""


HOLDING = ("Partition", "Cut", "CutLinks", "Isolate", "Withhold")
"""Kinds of faults that do something only when a message meets them."""
HARSH = frozenset(name for name, kind in FAULTS.items() if kind.excuses)
"""Kinds of faults after which promises may be excused."""


class Watch:
    """A reader that keeps what the end of a run is judged by."""

    __slots__ = ("_idle", "faults", "held", "in_force", "unordered", "was_harsh")

    def __init__(self) -> None:
        self.in_force: Counter[str] = Counter()
        """How often each kind of fault came into force."""
        self.held: Counter[str] = Counter()
        """How many of them held a message, of kinds that hold any."""
        self._idle: dict[int, FaultApplied] = {}
        """In force, of links, and has held nothing yet."""
        self.faults = 0
        """How many were injected."""
        self.unordered: set[NodeId] = set()
        """Nodes that ended without order at least once."""
        self.was_harsh = False
        """A disk lied, failed, was full, or lost power: promises may be excused."""

    def __call__(self, entries: Iterable[Entry]) -> None:
        """Take in events."""
        for event in [entry.event for entry in entries]:
            if type(event) is FaultInjected:
                self.faults += 1
                self.was_harsh = self.was_harsh or event.kind in HARSH
            elif type(event) is FaultApplied:
                self.in_force[event.kind] += 1
                if event.kind in HOLDING:
                    self._idle[event.fault_id] = event
            elif type(event) is FaultReverted:
                self._idle.pop(event.fault_id, None)
            elif type(event) is FramesHeld:
                for number in [number for number, fault in self._idle.items() if _holds(fault, event)]:
                    self.held[self._idle.pop(number).kind] += 1
            elif type(event) is ProcessExited and event.exit_code != 0:
                self.unordered.add(event.node_id)


def _holds(fault: FaultApplied, held: FramesHeld) -> bool:
    kind = repr(held.message)
    return (held.source, held.target) in fault.links and kind in dict(fault.parameters).get("messages", kind)


class Finding(NamedTuple):
    """One thing that is wrong."""

    rule: str
    """Its id; rest for what is not in order at the end, calm for what goes on for ever, exit for a crash, asked for an
    error that blames who asked, untold for a decision without the numbers that it is judged by."""
    sentence: str


class Judge:
    """Looks on from the beginning to the end."""

    __slots__ = ("_blames", "_cluster", "checker", "evaluated", "excused", "watch")

    def __init__(self, minimum: Mapping[str, int] | None = None) -> None:
        """What must have happened for the verdicts to mean something, as rule T8 has it."""
        self.checker = Checker(minimum=minimum)
        self._blames = Blames()
        self.watch = Watch()
        """What excuses a run that does not come to rest."""
        self.excused: tuple[str, ...] = ()
        """Ids of rules that were broken after an assumption was, once it has ended."""
        self.evaluated: dict[str, int] = {}
        """How often each rule was checked, once it has ended; those that never were are not in it."""
        self._cluster: SimulatedCluster

    def attend(self, cluster: SimulatedCluster) -> None:
        """Look on; nothing has happened yet."""
        self._cluster = cluster
        cluster.recording.readers += [self.checker.feed_all, self.watch, self._blames]

    def knows(self, rule: str) -> bool:
        """Whether it is a rule of the checker."""
        return rule not in OF_NO_RULE

    def is_broken(self, rule: str) -> bool:
        """Whether this rule of the checker is broken by now."""
        self._cluster.recording.catch_up()
        return self.checker.report.tally(rule).found_count > 0

    def end(self, missing: str, lagging: str = "") -> list[Finding]:
        """End the run, and say what is wrong.

        Args:
            missing: what was not in order when it had long been calm.
            lagging: what still went on a minute later.
        """
        cluster = self._cluster
        cluster.recording.catch_up()
        has_forgotten = self.checker.report.ledger.excuse((OF_THE_QUORUM, NEWEST_EPOCH), METADATA) is not None
        is_wanting = missing and not has_forgotten  # what a quorum forgets may be a broker, or a partition
        found = [Finding(AT_REST, f"when all had long been calm {missing}")] if is_wanting else []
        crashes = [text.strip().splitlines()[-1] for _, text in cluster.logs if text.startswith("Traceback")]
        found += [Finding(CRASH, f"exit {exit_codes.CRASHED}: {text}") for text in crashes]
        cluster.finish()
        found += [Finding(LAGS, f"after a minute of calm {lagging}")] if lagging else []
        blamed = "" if has_forgotten else self._blames.sentence
        found += [Finding(BLAMED, blamed)] if blamed else []
        unjudged = [name for name in DECISIONS if self.checker.report.tally(name).is_open]
        found += [Finding(UNTOLD, f"decisions lack numbers that {unjudged} judge them by")] if unjudged else []
        table = self.checker.finish()
        self.excused = tuple(line.info.id for line in table if line.verdict is Verdict.EXPECTED)
        self.evaluated = {line.info.id: line.checks for line in table if line.checks}
        broken = [line for line in table if line.verdict is Verdict.VIOLATED]
        return [*found, *(Finding(line.info.id, f"{line.info.id} {line.violations[0].sentence}") for line in broken)]

    def missing(self, never_made: Sequence[str] = ()) -> str:
        """What is not in order; empty when everything is.

        Args:
            never_made: topics that were asked for and are not there; without their nodes nobody makes them.
        """
        cluster = self._cluster
        cluster.recording.catch_up()
        down = [node for node in cluster.nodes if not cluster.is_up(node)]
        if down:
            return "" if self._is_excused else f"nodes {down} are down"
        active = cluster.active_controllers()
        if len(active) != 1:
            return f"{len(active)} controllers are active"
        if never_made:
            return f"topics {never_made} were never made"
        server = cluster.processes[active[0]].server
        assert server is not None
        fenced = sorted(set(cluster.brokers) - set(server.image.unfenced_brokers()))
        if fenced:
            return f"brokers {fenced} are not in service"
        lives = {node: cluster.cluster().node(node).broker_state for node in cluster.brokers}
        if set(lives.values()) - {"", RUNNING}:
            return f"brokers in service call themselves {lives}"
        topics = sorted(cluster.cluster().topics.items())
        found = (self._missing_at(TopicPartition(topic, number)) for topic, count in topics for number in range(count))
        return next(filter(None, found), "") or self._undone()

    def lagging(self) -> str:
        """What goes on where nobody has written for long: a move, or a high watermark; empty for nothing."""
        topics = sorted(self._cluster.cluster().topics.items())
        found = (self._lagging_at(TopicPartition(topic, number)) for topic, count in topics for number in range(count))
        return "" if self._is_excused else next(filter(None, found), "")

    def _lagging_at(self, where: TopicPartition) -> str:
        state = self._cluster.cluster()
        facts = state.facts(where)
        if facts is None or facts.leader == NO_NODE:
            return ""
        if facts.adding_replicas or facts.removing_replicas:
            return f"{where} still moves from {facts.removing_replicas} to {facts.adding_replicas}"
        marks = {node: max(0, state.log(node, where).high_watermark) for node in facts.replicas}
        if len(set(marks.values())) > 1:
            return f"the high watermarks of {where} are {marks}"
        end_offset = state.log(facts.leader, where).log_end_offset
        if len(facts.isr) >= facts.min_insync_replicas and marks[facts.leader] < end_offset:
            return f"{where} is committed to {marks[facts.leader]} of {end_offset}"
        return ""

    def _undone(self) -> str:
        """Transactions that are decided and lack a marker; rule L13 judges how long that may take."""
        known = self._cluster.cluster().transactions.values()
        names = [item.transactional_id for item in known if item.state in PREPARED]
        return f"transactions of {names} are decided and not complete" if names and not self._is_excused else ""

    @property
    def _is_excused(self) -> bool:
        """Whether disks, or the way that followers truncate, may keep a run from coming to rest."""
        return self.watch.was_harsh or self._is_old_truncation

    @property
    def _is_old_truncation(self) -> bool:
        return self.checker.report.ledger.excuse(OLD_TRUNCATION, METADATA) is not None

    def _missing_at(self, where: TopicPartition) -> str:
        state = self._cluster.cluster()
        facts = state.facts(where)
        if facts is None:
            return ""
        if facts.leader == NO_NODE:
            is_known = self._is_excused or self.watch.unordered & set(facts.replicas)
            return "" if is_known else f"{where} has no leader"
        log = state.log(facts.leader, where)
        led = log.begun[0] if log.begun else log.epochs[-1][0] if log.epochs else NO_EPOCH
        if led != facts.leader_epoch and not self._is_excused:
            return f"node {facts.leader} does not lead {where} in leader epoch {facts.leader_epoch}"
        if set(facts.isr) != set(facts.replicas) and not self._is_old_truncation:
            return f"{where} has ISR {facts.isr}, not all of {facts.replicas}"
        if len(facts.replicas) > 1 and not state.identical(where) and not self._is_excused:
            return f"the replicas of {where} differ"
        return ""
