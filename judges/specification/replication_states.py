"""Steps of a partition as a line of states: one action of the specification each, and what is seen after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from cluster.model.entry import Entry
from cluster.model.identifiers import Epoch, NodeId, Offset
from judges.specification.not_judged import NotJudged
from judges.specification.replication_steps import RecordKey, Step, Steps

Record = tuple[Epoch, int]
"""Leader epoch, and the number that its bytes are known by."""
ADDED = {
    "kraft-elect": "KRaft shrinks the ISR and elects with one new epoch; the specification takes two",
    "kraft-isr": "KRaft takes a fenced follower out of the ISR without a new epoch",
    "unclean": "a leader from outside the ISR; the specification's guarantees do not cover it",
    "restart": "a process starts anew with the high watermark of its checkpoint",
    "lost-tail": "what was not flushed is lost; the specification's guarantees do not cover it",
    "learn": "an answer without records brings a newer high watermark",
    "shrink-unheard": "as in Kafka a leader knows what a follower asked for, not what it has",
    "kept-hw": "our followers never lower their high watermark; the specification's take over an older one",
    "out-of-range": "the leader's log ends earlier, after an unclean election or a lost tail",
    "expand-early": "as in Kafka a follower joins the ISR before the high watermark has reached the leader's epoch",
}
"""Actions that were added to the specification, and why."""


@dataclass(frozen=True, slots=True)
class Replica:
    """What a replica has, and whom it believes to lead."""

    log: tuple[Record, ...] = ()
    high_watermark: Offset = 0
    epoch: Epoch = -1
    leader: NodeId = 0
    isr: tuple[NodeId, ...] = ()
    """Its own view; compared for leaders alone."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the controller has decided."""

    leader: NodeId
    epoch: Epoch
    isr: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True)
class State:
    """All that is seen after one step."""

    label: str
    node: NodeId
    nodes: tuple[NodeId, ...]
    replicas: tuple[Replica, ...]
    """Of nodes, in their order."""
    decision: Decision
    decisions: tuple[Decision, ...]
    """All that replicas may have been told so far."""
    entry: Entry | None
    """Whose event claims it; None for the start."""
    said: str = ""


def states_of(run: Steps) -> list[State]:
    """The line; its first state is where the run begins. NotJudged."""
    line = _States(run.replicas)
    for step in run.steps:
        line.take(step)
    return line.states


UNHEARD_OF: Record = (0, 1 << 40)
"""A record that a log has and nobody wrote."""


class _Records:
    """Numbers records: equal bytes at an offset are one record."""

    def __init__(self) -> None:
        self._ids: dict[RecordKey, int] = {}
        self._laid_down: set[int] = set()

    def of(self, key: RecordKey, like: tuple[Record, ...] = ()) -> Record:
        """A copy of a record that was laid down before the start is known by where the leader has it."""
        if key not in self._ids:
            offset = key[0] + key[4]
            twin = like[offset] if offset < len(like) else None
            is_twin = twin is not None and twin[0] == key[2] and twin[1] in self._laid_down
            self._ids[key] = twin[1] if twin is not None and is_twin else 1 + max(self._ids.values(), default=-1)
        return key[2], self._ids[key]

    def laid_down(self, keys: Iterable[RecordKey]) -> tuple[Record, ...]:
        """Records that a log held before the run began."""
        records = tuple(self.of(key) for key in keys)
        self._laid_down.update(number for _, number in records)
        return records


class _States:
    def __init__(self, replicas: tuple[NodeId, ...]) -> None:
        self._nodes = replicas
        self._now = dict.fromkeys(replicas, Replica())
        self._decision = Decision(0, -1, replicas)
        self._decisions: list[Decision] = []
        self._elr: tuple[NodeId, ...] = ()
        self._records = _Records()
        self._starts: dict[NodeId, Offset] = {}
        """Where the log of each leader ended when it began to lead."""
        self.states: list[State] = []
        self._takes: dict[str, Callable[[Step, Replica], None]] = {
            "recover": self._recover, "lead": self._lead, "follow": self._follow, "out-of-range": self._out_of_range,
            "write": self._write, "fetch": self._fetch, "hw": self._advance, "learn": self._learn,
        }  # fmt: skip

    def take(self, step: Step) -> None:
        """One step of the run: none, one or several of the specification."""
        if step.label == "first":
            self._begin(step)
        elif step.label == "decide":
            self._decide(step)
        elif step.node in self._now:
            self._takes[step.label](step, self._now[step.node])

    def _push(self, label: str, step: Step, node: NodeId | None = None, said: str = "") -> None:
        replicas = tuple(self._now[each] for each in self._nodes)
        at = step.node if node is None else node
        decisions = tuple(self._decisions)
        self.states.append(State(label, at, self._nodes, replicas, self._decision, decisions, step.entry, said))

    def _begin(self, step: Step) -> None:
        if step.again:
            self._elr = step.elr
            self._decision = Decision(step.leader, step.epoch, step.isr)
            self._push("init", step)
            return
        self._decision = replace(self._decision, isr=step.isr)
        self._push("init", step)
        self._decide(step)

    def _decide(self, step: Step) -> None:
        old, new = self._decision, Decision(step.leader, step.epoch, step.isr)
        elr, self._elr = self._elr, step.elr
        if new == old:
            return
        if step.by_leader:
            self._by_leader(step, old, new)
            return
        if new.epoch == old.epoch:
            label, leads = "kraft-isr", self._now.get(old.leader)
            if leads is not None and (leads.leader, leads.epoch) == (old.leader, old.epoch):
                self._now[old.leader] = replace(leads, isr=new.isr)
        else:
            label = _election(old, new, elr, step)
            self._decisions.append(new)
        self._decision = new
        if label == "kraft-isr":
            self._decisions.append(new)
        self._push(label, step, 0)

    def _by_leader(self, step: Step, old: Decision, new: Decision) -> None:
        """The leader asked for it: one member at a time."""
        for member in sorted(set(new.isr) ^ set(old.isr)):
            self._decision = replace(self._decision, isr=tuple(sorted({*self._decision.isr} ^ {member})))
            leads = self._now.get(old.leader, Replica())
            self._now[old.leader] = replace(leads, isr=self._decision.isr)
            label = "shrink" if member not in new.isr else "expand"
            if label == "shrink" and member in step.behind:
                own = self._now.get(member, Replica())
                has_all = (own.leader, own.epoch) == (old.leader, old.epoch) and len(own.log) >= len(leads.log)
                label = "shrink-unheard" if has_all else label
            if label == "expand" and leads.high_watermark < min(self._starts.get(old.leader, 0), len(leads.log)):
                label = "expand-early"
            self._push(label, step, old.leader, f"member {member}")

    def _recover(self, step: Step, own: Replica) -> None:
        if not self.states:
            self._now[step.node] = Replica(self._records.laid_down(step.records), step.high_watermark)
        elif step.again:
            beyond = [UNHEARD_OF] * (step.end_offset - len(own.log))
            self._now[step.node] = Replica((*own.log[: step.end_offset], *beyond), step.high_watermark)
            self._push("lost-tail" if step.may_lack and step.end_offset < len(own.log) else "restart", step)

    def _lead(self, step: Step, own: Replica) -> None:
        self._starts[step.node] = len(own.log)
        self._now[step.node] = replace(own, epoch=step.epoch, leader=step.node, isr=tuple(sorted(step.isr)))
        self._push("lead", step)

    def _follow(self, step: Step, own: Replica) -> None:
        if (own.epoch, own.leader) == (step.epoch, step.leader):
            return
        end = len(own.log) if step.cut is None else step.cut
        self._now[step.node] = Replica(
            own.log[:end], min(own.high_watermark, end) if step.cut is not None else own.high_watermark,
            step.epoch, step.leader,
        )  # fmt: skip
        said = f"follows node {step.leader} in epoch {step.epoch}"
        self._push("follow", step, said=said if step.cut is None else f"{said} and cuts to {step.cut}")

    def _out_of_range(self, step: Step, own: Replica) -> None:
        end = step.cut or 0
        self._now[step.node] = replace(own, log=own.log[:end], high_watermark=min(own.high_watermark, end))
        self._push("out-of-range", step, said=f"cuts to {end}")

    def _write(self, step: Step, own: Replica) -> None:
        for at, key in enumerate(step.records, start=1):
            own = self._now[step.node] = replace(own, log=(*own.log, self._records.of(key)))
            self._push("write", step, said=f"record {at} of {len(step.records)}")

    def _fetch(self, step: Step, own: Replica) -> None:
        of = self._now.get(own.leader, Replica())
        for at, key in enumerate(step.records, start=1):
            was, log = own.high_watermark, (*own.log, self._records.of(key, of.log))
            shown = max(was, min(step.high_watermark, len(log)))
            own = self._now[step.node] = replace(own, log=log, high_watermark=shown)
            kept = shown == was > min(of.high_watermark, len(log))
            self._push("kept-hw" if kept else "fetch", step, said=f"record {at} of {len(step.records)}")

    def _advance(self, step: Step, own: Replica) -> None:
        if step.high_watermark <= own.high_watermark:
            self._now[step.node] = replace(own, high_watermark=step.high_watermark)
            self._push("hw", step, said=f"to {step.high_watermark}")
        for at in range(own.high_watermark + 1, step.high_watermark + 1):
            self._now[step.node] = replace(own, high_watermark=at)
            unheard = [each for each in own.isr if each != step.node and step.heard.get(each, -1) < at]
            self._push("hw-early" if unheard else "hw", step, said=f"to {at}")

    def _learn(self, step: Step, own: Replica) -> None:
        self._now[step.node] = replace(own, high_watermark=step.high_watermark)
        self._push("learn", step, said=f"to {step.high_watermark}")


def _election(old: Decision, new: Decision, elr: tuple[NodeId, ...], step: Step) -> str:
    """Which action gives a new leader epoch. elr: who was eligible before it, since nobody of the ISR could lead."""
    if step.unclean:
        return "unclean"
    if new.leader in elr and not set(new.isr) & set(old.isr):
        raise NotJudged("an eligible leader replica was elected (KIP-966), which the specifications do not know")
    if new.leader and new.isr == old.isr:
        return "elect"
    if not new.leader and new.isr == old.isr == (old.leader,):
        return "ctl-shrink"
    return "kraft-elect"
