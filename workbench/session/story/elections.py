"""What becomes of the quorum: who asks for votes, who refuses them, who leads."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.model.entry import Entry
from cluster.model.events import quorum
from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from cluster.picture.parts import VoteRound
from workbench.session.story.deeds import ENDING
from workbench.session.story.incident import Incident
from workbench.session.story.line import DETAILS, STORY, seconds
from workbench.session.story.teller import Teller
from workbench.session.views.cluster import ClusterView
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.reasons import timer_of
from workbench.telling.telling import BAD, GOOD, INFO, WARN
from workbench.telling.words import node_name

LEADS, ASKS = "\u2605", "\u25d4"


class Quorum:
    """Tells elections."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self._split: set[Epoch] = set()
        """Epochs whose vote was called split."""
        self._fetch_ms: dict[NodeId, int] = {}
        """How long each voter waits for its leader, as it told last."""
        self._missing: dict[NodeId, int] = {}
        """Voters that fetched from a leader, and for how many ms they have heard nothing; 0 where that is not told."""
        self._asked: set[NodeId] = set()
        """Those of them that have asked around since."""
        self._elected_ns = 0
        """When the newest leader was elected."""

    def _home(self, nodes: tuple[NodeId, ...], picture: ClusterView) -> Incident | None:
        """Who waits for a leader; else what happened to these; else what happened to the quorum."""
        return self.teller.owing("quorum") or self.teller.home(nodes) or self.teller.home(picture.voters)

    def on_election_started(self, entry: Entry, event: quorum.ElectionStarted, picture: ClusterView) -> None:
        """Somebody asks, for pre-votes or in earnest."""
        teller, node = self.teller, entry.node
        before, name = teller.last_leader, node_name(node)
        incident = self._home((node, before), picture)
        if incident is None:
            missed = f" heard nothing from {node_name(before)}{self._for((node,))} and" if node in self._missing else ""
            incident = teller.open(f"{name}{missed} asked for votes", glyph=ASKS, tone=WARN, nodes=(node,),
                                   kind="election")  # fmt: skip
        self._tell_split_before(incident, event.epoch, picture)
        level = DETAILS if before == NO_NODE else STORY  # a quorum that has never had a leader has nothing to miss
        rounds = [item for item in picture.rounds if (item.epoch, item.pre_vote) == (event.epoch, event.pre_vote)]
        since_ns = max(incident.t_ns, self._elected_ns)
        asking = sorted({item.candidate_id for item in rounds if item.t_ns >= since_ns})
        asks, have = ("asks", "has") if len(asking) == 1 else ("ask", "have")
        key = ("asks", event.epoch, event.pre_vote, node)
        if event.pre_vote:
            there, total = sum(picture.node(voter).is_up for voter in event.voters), len(event.voters)
            is_enough = there > total // 2
            few = f"{there} of {total} voters are there, {total // 2 + 1} are needed."
            text = now = f"{name} asks around again"
            if node in self._asked:
                key = ("asks again", event.epoch, event.pre_vote, node)
                if not is_enough:
                    now = f"{words.nodes(asking)} {'goes' if len(asking) == 1 else 'go'} on asking"
                elif (hears := _in_reach(node, event.voters, picture)) <= total // 2:
                    is_enough, now = False, f"{name} goes on asking"
                    few = f"it reaches {hears} of {total} voters, {total // 2 + 1} are needed."
            else:
                nothing = f"heard nothing from {node_name(before)}"
                missed = f" {have} {nothing}{self._for(asking)} and" if self._missing.keys() >= set(asking) else ""
                now = f"{words.nodes(asking)}{missed} {asks} around"
                heard = f"has {nothing}{self._for((node,))} and " if node in self._missing else ""
                text = f"{name} {heard}asks around"
            if node in self._missing:
                self._asked.add(node)
            now += ": " + ("would you vote for me?" if is_enough else few)
        else:
            now = f"{words.nodes(asking)} {asks} for votes in e{event.epoch}."
            text = f"{name} asks for votes in e{event.epoch}"
        again = key[0] == "asks again" and any(line.key[0] == "asks again" for line in incident.steps)
        now = "" if again or level != STORY else now  # that somebody goes on asking is told on top once
        teller.step(incident, text, now=now, key=key, level=level, glyph=ASKS, tone=WARN)

    def _for(self, nodes: Iterable[NodeId]) -> str:
        """How long they have heard nothing, as each waits as long; empty where that is not told or differs."""
        waited = {self._missing.get(node, 0) for node in nodes}
        ms = waited.pop() if len(waited) == 1 else 0
        return f" for {ms} ms" if ms else ""

    def on_timer_set(self, entry: Entry, event: quorum.TimerSet, _picture: ClusterView) -> None:
        """How long a voter will wait; its timer begins anew whenever its leader answers."""
        if event.timer == "fetch":
            self._fetch_ms[entry.node] = event.length_ms

    def on_vote_rejected(self, entry: Entry, event: quorum.VoteRejected, picture: ClusterView) -> None:
        """A refusal: it may be what splits a vote, or say that a log is behind."""
        teller, voter, candidate = self.teller, node_name(entry.node), node_name(event.candidate_id)
        incident = self._home((event.candidate_id,), picture)
        if incident is None:
            return
        if not event.pre_vote and self._is_split(event.epoch, picture):
            self._tell_split(incident, event.epoch, picture)
            return
        theirs = event.candidate_last_epoch, event.candidate_last_offset
        ours = event.last_epoch, event.last_offset
        what = "pre-vote" if event.pre_vote else "vote"
        key = ("refuses", entry.node, event.candidate_id, event.pre_vote)
        if theirs < ours and "quorum" in incident.owes:
            text = (
                f"{voter} refuses {candidate}: its log ends at {theirs[1]} of e{theirs[0]}, "
                f"its own at {ours[1]} of e{ours[0]}"
            )
            teller.step(incident, text, now=f"{text}.", key=key, glyph="\u2717", tone=BAD)
        else:
            teller.step(incident, f"{voter} refuses {candidate} its {what}", key=key, level=DETAILS, tone=BAD)

    def _is_split(self, epoch: Epoch, picture: ClusterView) -> bool:
        """Whether two or more have asked in an epoch and none of them can win any more."""
        rounds = _rounds(epoch, picture)
        if epoch in self._split or len(rounds) < 2 or any(item.won for item in rounds):
            return False
        given = {voter for item in rounds for voter, granted in item.answers.items() if granted}
        free = [voter for voter in rounds[0].voters if voter not in given and picture.node(voter).is_up]
        cut = {pair for pair, way in picture.links().items() if way.is_cut}

        def may_get(item: VoteRound) -> int:
            return sum(
                (item.candidate_id, voter) not in cut and (voter, item.candidate_id) not in cut for voter in free
            )

        return all(item.granted_count + may_get(item) < item.needed for item in rounds)

    def _tell_split_before(self, incident: Incident, epoch: Epoch, picture: ClusterView) -> None:
        """Somebody asks anew: the round before has certainly elected nobody."""
        earlier = {item.epoch for item in picture.rounds if not item.pre_vote and item.epoch < epoch}
        newest = max(earlier, default=-1)
        rounds = _rounds(newest, picture)
        if newest not in self._split and len(rounds) > 1 and not any(item.won for item in rounds):
            self._tell_split(incident, newest, picture)

    def _tell_split(self, incident: Incident, epoch: Epoch, picture: ClusterView) -> None:
        self._split.add(epoch)
        rounds = _rounds(epoch, picture)
        names = words.nodes([item.candidate_id for item in rounds])
        total, needed = len(rounds[0].voters), rounds[0].needed
        if all(item.granted_count == 1 for item in rounds):
            now = f"SPLIT VOTE in e{epoch}: {names} each voted for itself, 1 of {total}, needs {needed}."
            text = "SPLIT VOTE: each refuses, it has voted for itself"
        else:
            each = [f"{node_name(item.candidate_id)} has {item.granted_count}" for item in rounds]
            now = f"SPLIT VOTE in e{epoch}: of {total} votes {words.listed(each)}, needs {needed}."
            text = f"SPLIT VOTE: {words.listed(each)}, needs {needed} of {total}"
        self.teller.step(incident, text, now=now, key=("split", epoch), glyph=ASKS, tone=BAD)
        count = sum(line.key[0] == "split" for line in incident.steps)
        self.teller.cost(incident, ("splits",), words.plural(count, "split vote"))

    def on_leader_elected(self, entry: Entry, event: quorum.LeaderElected, picture: ClusterView) -> None:
        """There is a leader."""
        teller, node, name = self.teller, entry.node, node_name(entry.node)
        total = len(picture.voters)
        votes = f"all {total} votes" if len(event.votes) == total else f"{len(event.votes)} of {total} votes"
        is_first = teller.last_leader == NO_NODE
        incident = self._home((node,), picture)
        if incident is None:
            incident = teller.open(f"{name} leads the quorum in e{event.epoch}", glyph=LEADS, tone=GOOD, nodes=(node,),
                                   kind="election")  # fmt: skip
        now = f"{name} leads the quorum in e{event.epoch}, with {votes}."
        if not is_first and incident.kind not in (*ENDING, "election", "start"):
            lasted = seconds(teller.t_ns - incident.t_ns)
            now += f" The others had no leader for {lasted}."
            self._end_leaderless(incident, f"the others had no leader for {lasted}")
        elif teller.leaderless_ns:
            lasted = seconds(teller.t_ns - teller.leaderless_ns)
            now += f" There was no leader for {lasted}."
            self._end_leaderless(incident, f"no leader for {lasted}")
        done = teller.acknowledged - incident.acknowledged_before
        if done and not is_first:
            teller.meanwhile(incident, ("writes",), f"writes went on: {words.plural(done, 'record')} acknowledged")
        text = f"{name} leads e{event.epoch} with {votes}"
        teller.step(incident, text, now=now, key=("leads", event.epoch), glyph=LEADS, tone=GOOD)
        if is_first and incident.kind == "start":
            teller.rename(incident, f"{name} leads the quorum in e{event.epoch}")
            incident.head.glyph = LEADS
        teller.leader = teller.last_leader = node
        teller.leaderless_ns = 0
        self._missing.clear()
        self._asked.clear()
        self._elected_ns = teller.t_ns
        teller.pay("quorum")

    def _end_leaderless(self, incident: Incident, text: str) -> None:
        """What ran until now has its length."""
        running = [line.key for line in incident.costs if line.said[-1].since_ns and line.key[0] == "leaderless"]
        self.teller.cost(incident, running[-1] if running else ("leaderless", self.teller.place), text)

    def on_role_changed(self, entry: Entry, event: quorum.RoleChanged, picture: ClusterView) -> None:
        """A leader gives up; somebody follows the new one."""
        node, name = entry.node, node_name(entry.node)
        missed, leader = timer_of(entry.trigger)[0] == "fetch", self.teller.last_leader
        if event.role == "prospective" and missed and leader not in (NO_NODE, node):
            self._missing[node] = self._fetch_ms.get(node, 0)
        elif event.leader_id not in (NO_NODE, self.teller.last_leader):
            self._missing.pop(node, None)
            self._asked.discard(node)
        if event.role in ("resigned", "unattached") and node == self.teller.leader:
            self._give_up(entry, event, picture)
        elif event.role == "resigned":
            incident = self.teller.home((node,))
            if incident is not None and incident.kind == "back":
                self.teller.step(incident, f"it was the leader of e{event.epoch}", key=("was",))
        elif event.role in ("follower", "observer") and event.leader_id != NO_NODE:
            self._follow(node, name, event, picture)

    def _give_up(self, entry: Entry, event: quorum.RoleChanged, picture: ClusterView) -> None:
        teller, name = self.teller, node_name(entry.node)
        incident = self._home((entry.node,), picture)
        hears_too_few = timer_of(entry.trigger)[0] == "check_quorum"
        why = "it hears no majority" if hears_too_few else words.with_node_names(safe_text(event.why, 100))
        text = f"{name} gives up the lead: {why}"
        if incident is None:
            incident = teller.open(text, glyph="\u2717", tone=WARN, nodes=(entry.node,), kind="election")
        else:
            teller.step(incident, text, now=f"{text}.", glyph="\u2717", tone=WARN)
        if picture.quorum_leader == NO_NODE:
            teller.leader, teller.leaderless_ns = NO_NODE, teller.t_ns
            teller.owe(incident, "quorum")
            teller.cost(incident, ("leaderless", teller.place), "no leader for {}", teller.t_ns)

    def _follow(self, node: NodeId, name: str, event: quorum.RoleChanged, picture: ClusterView) -> None:
        teller, leader = self.teller, node_name(event.leader_id)
        incident = teller.home((node,))
        if incident is not None and incident.kind == "back" and "controller" in picture.node(node).roles:
            text = f"{name} follows {leader} in e{event.epoch}"
            line = incident.line(incident.steps, ("was",))
            was = f" {line.first.text[0].upper()}{line.first.text[1:]}." if line is not None else ""
            teller.step(incident, text, now=f"{name} is back.{was} It follows {leader} in e{event.epoch}.", tone=GOOD)
            teller.rename(incident, f"{name} came back, follows {leader} in e{event.epoch}")
            teller.pay(("back", node))
            return
        home = self._of_leader(event.epoch)
        if home is None or event.leader_id != teller.leader:
            return
        if event.role == "observer":
            followed = [
                item.node_id
                for item in picture.nodes.values()
                if item.quorum_role == "observer" and item.quorum_leader == event.leader_id
            ]
            verb = "follows" if len(followed) == 1 else "follow"
            text = f"{words.plural(len(followed), 'broker')} {verb} {leader}"
            teller.step(home, text, key=("followed", event.epoch))
        elif node in home.nodes:
            text = f"{name} follows {leader} in e{event.epoch}"
            teller.step(home, text, now=f"{text}.", tone=INFO)
        else:
            teller.step(home, f"{name} follows {leader} in e{event.epoch}", level=DETAILS)

    def _of_leader(self, epoch: Epoch) -> Incident | None:
        """The incident that tells of an epoch's leader, while it may still go on."""
        active = reversed(self.teller.active())
        return next((item for item in active if item.line(item.steps, ("leads", epoch)) is not None), None)

    def on_truncated(self, entry: Entry, event: quorum.MetadataTruncated, picture: ClusterView) -> None:
        """A metadata log is cut: what was in it was never committed."""
        text = f"{node_name(entry.node)} cuts its metadata log from {event.old_end_offset} to {event.end_offset}"
        incident = self._home((entry.node,), picture)
        if incident is None:
            self.teller.open(text, glyph="\u2702", tone=WARN, nodes=(entry.node,), kind="cut")
        else:
            self.teller.step(incident, text, now=f"{text}: the leader has other records there.", glyph="\u2702",
                             tone=WARN)  # fmt: skip


def _in_reach(node: NodeId, voters: Iterable[NodeId], picture: ClusterView) -> int:
    """How many voters a node can ask and hear, itself counted."""
    cut = {frozenset(pair) for pair, way in picture.links().items() if way.is_cut}
    return sum(picture.node(voter).is_up and frozenset((node, voter)) not in cut for voter in voters)


def _rounds(epoch: Epoch, picture: ClusterView) -> list[VoteRound]:
    return [item for item in picture.rounds if item.epoch == epoch and not item.pre_vote]
