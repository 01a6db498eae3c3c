"""Breaks a simulated cluster at random: one command of the grammar after the other, drawn from the seed."""

from __future__ import annotations

from itertools import repeat

from cluster.commands.clients import Job
from cluster.faults.disks import SPOILS
from cluster.faults.fault_book import Injected
from cluster.faults.messages import UnkindFault
from cluster.faults.processes import CRASH_POINTS, DOWN, KEEPS, Freeze
from cluster.language.topics import Consume, Produce
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from cluster.model.racks import NO_RACK, rack_of
from cluster.simulation.swarm.ambushes import SwarmAmbushes
from cluster.simulation.swarm.deletions import SwarmDeletions
from cluster.simulation.swarm.members import SwarmMembers
from cluster.simulation.swarm.plan import OF_SNAPSHOTS, OF_VERB, SwarmPlan
from cluster.simulation.swarm.planned import PlannedTopic
from cluster.simulation.swarm.reassignments import SwarmReassignments
from cluster.simulation.swarm.schedule import Player
from cluster.simulation.swarm.second_terms import SwarmSecondTerms
from cluster.simulation.swarm.spells import SwarmSpells, one_kind, stutter, withhold
from cluster.simulation.swarm.transactions import SwarmTransactions
from cluster.simulation.swarm.voters import SwarmVoters
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.storage.clean_shutdown import NAME as CLEAN

ACKS = {"all": -1, "1": 1, "0": 0}
OF_LINKS = frozenset(("partition", "cut", "cut links", "delay", "slow-link", "reset", "lose", "duplicate", "reorder"))
"""Kinds that need two nodes."""
TELLING = ("after vote", "after append", "after flush", "after send")
"""Where a node that dies has done something that it does not remember, or that nobody knows of."""
TELLING_SHARE = 0.75
DAMAGE_SHARE = 0.03
"""Of the strikes of a plan with damages."""
OFFSET_MAX = 40
"""Most logs get so far; where one does not, there is nothing to rot or to read."""
READ_SHARE, RACKED_READ_SHARE = 0.15, 0.4
"""Of the commands of clients, those that read; more where consumers read from followers."""
NEXT_SHARE = 0.8
STARVED_S = (0.02, 0.3)
"""How long the next leader hears nothing of the one that dies then: others have records that it lacks."""
QUIET_SHARE = 0.25
QUIET_S = 3.0


class Nemesis:
    """One plan's troubles and its clients. All it does is a command with a time."""

    def __init__(self, cluster: SimulatedCluster, plan: SwarmPlan, player: Player) -> None:
        self._cluster, self._plan, self._player = cluster, plan, player
        self._random = cluster.kernel.stream("nemesis")
        self._racks = cluster.kernel.stream("racks")
        self._busy: list[list[Job]] = []
        self._written = 0
        self._may_ask_s = 0.0
        self.send = player.send
        """Carries out one command; whether it was not refused."""
        stream, begin = cluster.kernel.stream, player.begin_client
        self._members = [SwarmMembers(stream("members"), player.send, group) for group in plan.groups]
        self._deletions = SwarmDeletions(stream("deletions"), begin, plan.delete_every_s)
        self._reassignments = SwarmReassignments(stream("reassignments"), begin, cluster.brokers, plan.reassign_every_s)
        voters, every_s, replaces = cluster.config.voters, plan.change_voters_every_s, plan.replaces_disks
        self._voters = SwarmVoters(stream("voters"), begin, player.send, voters, every_s, replaces=replaces)
        self._transactions = SwarmTransactions(stream("transactions"), player.send, plan.transactions_every_s)
        self._ambushes = SwarmAmbushes(cluster, player.send, plan.ambush_every_s)
        self._spells = (
            SwarmSpells(stream("stutters"), player.send, plan.stutter_every_s, stutter),
            SwarmSpells(stream("withheld"), player.send, plan.withhold_every_s, withhold),
            SwarmSpells(stream("one kind"), player.send, plan.one_kind_every_s, one_kind),
        )
        self._second_terms = SwarmSecondTerms(cluster, player.send, plan.second_term_every_s)

    def begin(self) -> None:
        """The network that the plan wants, and the topics."""
        plan = self._plan
        for verb in ("lose", "duplicate", "reorder") if plan.loss_percent else ():
            self.send(f"{verb} all {plan.loss_percent}%")
        for topic in (*plan.topics, *(() if plan.offsets is None else (plan.offsets,))):
            self.send(topic.command)

    def rage(self) -> None:
        """Trouble for as long as the plan says; a quarter of the time is quiet, but for what the network does."""
        cluster, plan, random = self._cluster, self._plan, self._random
        end_s = cluster.now_s() + plan.duration_s
        while cluster.now_s() < end_s:
            period_end_s = min(end_s, cluster.now_s() + QUIET_S)
            is_quiet = random.random() < QUIET_SHARE
            while cluster.now_s() < period_end_s:
                self._employ()
                for members in self._members:
                    members.look()
                self._deletions.look(cluster.now_s(), self.partitions(), cluster.cluster())
                self._reassignments.look(cluster.now_s(), self.partitions(), cluster.cluster())
                self._voters.look(cluster.now_s(), cluster.cluster())
                self._second_terms.look(cluster.now_s(), self.partitions())
                if not is_quiet:
                    self._strike()
                running = [node for node in cluster.nodes if cluster.is_up(node)]
                for spell in self._spells:
                    spell.look(cluster.now_s(), running)
                passing = cluster.advance if is_quiet else self._ambushes.advance
                pause_s = random.expovariate(1 / plan.fault_every_s) + 0.001
                self._transactions.advance(cluster.now_s, self.partitions, passing, pause_s)

    def calm(self) -> None:
        """Take back every fault, start every node, and ask once more for topics that were not made."""
        for node in list(self._cluster.processes):
            if self._cluster.is_paused(node):
                self.send(f"resume {node}")
        self.send("heal")
        for members in self._members:
            members.calm()
        self.start_all()
        self.ask_for_topics()

    def ask_for_topics(self) -> None:
        """Once more for those that are not there, unless the last time may still be answered."""
        if (missing := self.missing_topics()) and self._cluster.now_s() >= self._may_ask_s:
            self._may_ask_s = self._cluster.now_s() + 2 * self._plan.config.settings.request_timeout_ms / 1000
            for topic in missing:
                self.send(topic.command)

    def missing_topics(self) -> list[PlannedTopic]:
        """Those that were planned and are not there."""
        topics = self._cluster.cluster().topics
        return [topic for topic in self._plan.topics if topic.name not in topics]

    def start_all(self) -> None:
        """Start every node that is down; a broker that cannot register in time ends itself."""
        for node in self._cluster.nodes:
            if not self._cluster.is_up(node):
                self.send(f"start {node}")

    def leave_core(self) -> tuple[NodeId, ...]:
        """End all but a random core for good; the core has a majority of the voters and a broker. Source: TigerBeetle.

        Nothing is left out where every node is needed. Returns the core.
        """
        cluster, random = self._cluster, self._random
        (voters, needed), brokers = self._living_voters(), list(cluster.brokers)
        core = {
            *random.sample(voters, random.randint(min(needed, len(voters)), len(voters))),
            *random.sample(brokers, random.randint(1, len(brokers))),
        }
        for node in cluster.nodes:
            if node not in core and cluster.is_up(node):
                self.send(f"kill {node}")
        return tuple(sorted(core))

    def _living_voters(self) -> tuple[list[NodeId], int]:
        """Who votes now, of a dynamic quorum with the disks that the log names; and how many are a majority of all."""
        state, config = self._cluster.cluster(), self._cluster.config
        leader = state.nodes.get(state.quorum_leader)
        if not config.settings.dynamic_quorum or leader is None:
            return list(config.voters), len(config.voters) // 2 + 1
        living = [node for node, disk in leader.voters if state.nodes[node].directory_id == disk]
        return living, len(leader.voters) // 2 + 1

    def unanswered(self) -> str:
        """Which change of the voters may come yet; empty when none may."""
        return self._voters.unanswered()

    def probe(self) -> None:
        """A few acknowledged produces to each partition."""
        for where in self.partitions():
            self._produce(where, 3, acks=-1, batch=1)

    def read(self) -> list[list[Job]]:
        """A consumer for each partition, from its start to its end."""
        return [self._player.begin_client(Consume(where, 0, wait=False)) for where in self.partitions()]

    def partitions(self) -> list[TopicPartition]:
        """Of the topics that were created."""
        topics = self._cluster.cluster().topics
        names = [topic.name for topic in self._plan.topics]
        return [TopicPartition(name, number) for name in names for number in range(topics.get(name, 0))]

    def _produce(self, where: TopicPartition, count: int, *, acks: int, batch: int) -> list[Job]:
        """No two producers write the same, so that what is read tells who wrote it."""
        self._written += 1
        plan, random = self._plan, self._random
        idempotent = acks == -1 and random.random() < plan.idempotent
        produce = Produce(
            where,
            count,
            acks,
            value=f"w{self._written}",
            batch=batch,
            in_flight=plan.in_flight,
            wait=False,
            retries=idempotent or random.random() >= plan.gives_up,
            idempotent=idempotent,
        )
        return self._player.begin_client(produce)

    def _employ(self) -> None:
        """Keep as many clients at work as planned."""
        plan, random = self._plan, self._random
        self._busy = [jobs for jobs in self._busy if not jobs]
        partitions = self.partitions()
        if not partitions:
            return
        reads = RACKED_READ_SHARE if self._cluster.settings.broker_racks else READ_SHARE
        while len(self._busy) < plan.producers:
            partition = random.choice(partitions)
            if random.random() < reads:
                offset = random.choice((0, random.randint(0, OFFSET_MAX)))
                consume = Consume(partition, offset, wait=False, rack=self._rack())
                self._busy.append(self._player.begin_client(consume))
                continue
            acks = ACKS[random.choice(plan.acks)]
            batch, count = random.choice((1, 1, 3)), random.randint(1, 12)
            self._busy.append(self._produce(partition, count, acks=acks, batch=batch))

    def _rack(self) -> str:
        """Where a consumer stands: in racked seeds anywhere, sometimes nowhere."""
        racks = self._cluster.settings.broker_racks
        return self._racks.choice((NO_RACK, *map(rack_of, range(1, racks + 1), repeat(racks)))) if racks else NO_RACK

    def _strike(self) -> None:
        """One fault, or the end of one."""
        cluster, random = self._cluster, self._random
        down = [node for node in cluster.nodes if not cluster.is_up(node)]
        paused = [node for node in cluster.nodes if cluster.is_paused(node)]
        healing = [fault for fault in cluster.desk.book if _may_end(fault)]
        if cluster.desk.book.find((Freeze,)):
            self.send("thaw")
        elif self._plan.damages and random.random() < DAMAGE_SHARE:
            self._damage(random.choice(cluster.nodes), random.choice(self._plan.damages))
        elif down and random.random() < max(0.3, self._plan.at_once):
            self.send(f"start {random.choice(down)}")
        elif paused and random.random() < 0.4:
            self.send(f"resume {random.choice(paused)}")
        elif healing and random.random() < 0.35:
            self.send(f"heal {str(random.choice(healing).command)}")
        else:
            self._inject(random.choice(self._plan.kinds))

    def _damage(self, node: NodeId, kind: str) -> None:
        """Have its disk misread, or kill a node unless it is down, and damage its disk.

        A node that left in order does not look at its log when it comes back, nor does Kafka: what has rotted in it
        would be refused by its followers for ever.
        """
        cluster, random = self._cluster, self._random
        if kind == "misread":  # only logs of topics are ever misread
            self.send(f"misread {random.choice(cluster.brokers)}")
            return
        if kind in ("wipe", OF_SNAPSHOTS) and self._plan.change_voters_every_s and node in cluster.config.voters:
            return  # a voter that never comes back is missed by every majority
        if cluster.is_up(node):
            self.send(f"kill {node}")
        if kind == "wipe":
            self.send(f"wipe {node}")
        elif kind == OF_SNAPSHOTS:
            self.send(f"spoil-snapshot {node} {random.choice(SPOILS)}")
        elif CLEAN not in cluster.disk_files(node).names():
            logs = [str(where) for where in self.partitions()] if node in cluster.brokers else []
            place = f" {random.randint(0, OFFSET_MAX)}" if kind == "rot" else ""
            self.send(f"{kind} {node} {random.choice([*logs, 'metadata'])}{place}")

    def _inject(self, kind: str) -> None:
        up = [node for node in self._cluster.nodes if self._cluster.is_up(node)]
        if not up:
            return
        node, delay_ms = self._random.choice(up), self._random.randint(1, self._plan.delay_ms)
        one, other = self._two()
        way = f"{one}{self._random.choice('->')}{other}"
        if kind in OF_LINKS and not other:
            return
        text = self._of_node(kind, node, delay_ms, up) or self._of_link(kind, way, delay_ms) or self._of_lab(kind, node)
        if text:
            self.send(text)

    def _of_node(self, kind: str, node: NodeId, delay_ms: int, up: list[NodeId]) -> str:
        random = self._random
        match kind:
            case "power-loss":
                together = random.sample(up, random.randint(1, min(3, len(up))))
                keep = random.choice(KEEPS)
                return f"power-loss {','.join(map(str, together))} keep={keep} pick={random.randint(0, 999)}"
            case "crash":
                points = TELLING if random.random() < TELLING_SHARE else CRASH_POINTS
                return f"crash {node} {random.choice(points)}"
            case "clock skew":
                return f"clock skew {node} {random.choice((-1, 1)) * random.randint(1, 60_000):+d}ms"
            case "clock drift":
                return f"clock drift {node} {random.choice((-20, -5, 5, 20)):+d}%"
            case "fsync slow":
                return f"fsync slow {node} {delay_ms}ms"
            case "disk-full":
                return f"disk-full {node} {random.randint(1, 4096)}"
            case _:
                return ""

    def _of_link(self, kind: str, way: str, delay_ms: int) -> str:
        random = self._random
        match kind:
            case "partition":
                return f"partition {self._groups()}"
            case "lose" | "duplicate" | "reorder":
                return f"{kind} {way} {random.choice((5, 20, 50))}%"
            case "cut":
                return f"cut {way}"
            case "delay":
                return f"delay {way} {delay_ms}ms {delay_ms}ms jitter"
            case "slow-link":
                return f"slow-link {way} {random.choice(('1KiB', '16KiB'))}"
            case "cut links":
                return f"cut {self._two_links()}"
            case "reset":
                return f"reset {way.replace('>', '-')}"
            case _:
                return ""

    def _of_lab(self, kind: str, node: NodeId) -> str:
        """What is about one node, as it says itself; and what an administrator does."""
        random, partitions = self._random, self.partitions()
        match kind:
            case "elect" | "elect unclean":
                where = f"elect {random.choice(partitions)}" if partitions else ""
                return f"{where} unclean" if where and kind != "elect" else where
            case "kill leader" | "starve":
                return self._aimed(kind)
            case "ok":
                return f"{random.choice(('fsync ok', 'disk-ok', 'clock ok'))} {node}"
            case "freeze" | "undo":
                return kind
            case _:
                return OF_VERB[kind].about(str(node), random.choice)

    def _aimed(self, kind: str) -> str:
        """At a leader that runs; nothing where there is none. Who is starved is mostly the one that will lead next."""
        cluster, random = self._cluster, self._random
        where = random.choice((METADATA, *self.partitions()))
        if where == METADATA:
            leader, replicas = next(iter(cluster.active_controllers()), NO_NODE), cluster.config.voters
        else:
            facts = cluster.cluster().facts(where)
            leader, replicas = (NO_NODE, ()) if facts is None else (facts.leader, facts.replicas)
        others = [node for node in replicas if node != leader]
        if leader == NO_NODE or not cluster.is_up(leader) or not others:
            return ""
        if kind == "starve":
            next_one = others[0] if random.random() < NEXT_SHARE else random.choice(others)
            self.send(f"cut {leader}>{next_one}")
            cluster.advance(random.uniform(*STARVED_S))
        return f"kill {leader}" if cluster.is_up(leader) else ""

    def _two(self) -> tuple[NodeId, NodeId]:
        nodes = self._cluster.nodes
        if len(nodes) < 2:
            return nodes[0], 0
        one, other = self._random.sample(nodes, 2)
        return one, other

    def _two_links(self) -> str:
        """One behind the other, or both ways where there are only two nodes."""
        nodes = self._cluster.nodes
        one, other, *third = self._random.sample(nodes, min(3, len(nodes)))
        return f"{one}>{other},{other}>{third[0] if third else one}"

    def _groups(self) -> str:
        nodes = list(self._cluster.nodes)
        self._random.shuffle(nodes)
        cut = self._random.randint(1, len(nodes) - 1)
        return "|".join(",".join(map(str, group)) for group in (nodes[:cut], nodes[cut:]))


def _may_end(fault: Injected) -> bool:
    """Nodes that are down are started instead, and the network of the whole run stays as it is."""
    is_for_all = isinstance(fault.command, UnkindFault) and fault.command.link is None
    return not is_for_all and not isinstance(fault.command, DOWN)
