"""Faults of links between nodes, and what each has the judge of frames do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import combinations
from typing import Annotated, ClassVar

from cluster.faults.effects_on_links import CutLink, DelayedLink, LimitedLink, WithheldMessages
from cluster.faults.effects_on_links import LinkFault as LinkRule
from cluster.faults.fault import APART, LINK, SLOW, Deed, Fault, LinkFault
from cluster.language import words as w
from cluster.language.words import CommandError, Known, Link, NodeName, OneLink, Word, duration
from cluster.model.identifiers import NodeId
from cluster.model.messages import MESSAGES

Groups = tuple[tuple[NodeName, ...], ...]


def _groups(text: str, where: str) -> Groups:
    groups = tuple(w.nodes(group, where.replace("groups", "group")) for group in text.split("|"))
    named = [item for group in groups for item in group]
    if len(groups) < 2:
        raise CommandError("one group only", where, text, "two or more groups, for example 1,2|3")
    if len(set(named)) != len(named):
        raise CommandError("a node is in two groups", where, text)
    return groups


def _groups_text(groups: Groups) -> str:
    return "|".join(",".join(map(str, group)) for group in groups)


def _one_against_all(known: Known) -> list[str]:
    nodes = [str(node) for node in sorted(known.nodes)]
    return [f"{one}|{','.join(n for n in nodes if n != one)}" for one in nodes if len(nodes) > 1]


def _links(text: str, where: str) -> tuple[Link, ...]:
    """One link as it is written, or each direction of several."""
    links = [w.link(part, where) for part in text.split(",")]
    if len(links) == 1:
        return tuple(links)
    ways = [way for a, b, both in links for way in (Link(a, b), Link(b, a))[: 1 + both]]
    if len(set(ways)) != len(ways):
        raise CommandError("a link is named twice", where.replace("link", "links"), text)
    return tuple(ways)


def _two_ends(text: str, where: str) -> Link:
    link = w.link(text, where)
    if not link.both_ways:
        raise CommandError("not a link", where, text, "1-2")
    return link


def _links_text(links: tuple[Link, ...]) -> str:
    return ",".join(map(str, links))


def _both_ways(known: Known) -> list[str]:
    return known.pairs("-")


def _node_or_client(text: str, where: str) -> NodeName:
    return NodeName(part=w.CLIENT) if text == w.CLIENT else w.node(text, where)


def _link_of_clients_too(text: str, where: str) -> Link:
    return w.link(text, where, _node_or_client)


def _link_offers(known: Known) -> list[str]:
    return [*known.pairs(), *(f"{w.CLIENT}-{node}" for node in sorted(known.nodes))]


def kinds_of_messages(text: str, where: str) -> tuple[str, ...]:
    """Whole names, or a name without its end: Vote is VoteRequest and VoteResponse."""
    kinds: list[str] = []
    for part in text.split(","):
        meant = {f"{part}{end}".lower() for end in ("", "Request", "Response")}
        names = [name for name in MESSAGES if name.lower() in meant]
        if not names:
            near = get_close_matches(part, MESSAGES, n=3, cutoff=0.4)
            raise CommandError("no such message", where, part, ", ".join(near or sorted(MESSAGES)[:3]))
        kinds += [name for name in names if name not in kinds]
    return tuple(kinds)


def _rate(text: str, where: str) -> int:
    return w.size_bytes(text.removesuffix("/s"), where, least=100)


def _jitter_ms(text: str, where: str) -> int:
    duration_text, _, jitter = text.partition(" ")
    if duration_text == "jitter" or jitter not in ("", "jitter"):
        raise CommandError("jitter is written after its duration", where.partition(":")[0], text, "50ms jitter")
    return w.duration_ms(duration_text, where)


def _cuts(ways: Iterable[tuple[NodeId, NodeId]], fault_id: int) -> tuple[LinkRule, ...]:
    return tuple(CutLink(source=a, target=b, fault_id=fault_id) for a, b in ways)


class Partition(LinkFault, verb="partition", help="Cut the network between groups of nodes, both ways.", swarm=0.6):
    """Cut the network both ways between groups; a node in no group keeps all its links."""

    deed = Deed("you cut {cut}", "the network was cut: {cut}", over="the cut is healed", glyph=APART)

    groups: Annotated[Groups, Word("1,2|3", _groups, _groups_text, _one_against_all)]
    """At least two; no node in two of them."""

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """Between each two of different groups."""
        pairs = ((one.node_id, two.node_id) for a, b in combinations(self.groups, 2) for one in a for two in b)
        return _cuts((way for one, two in pairs for way in ((one, two), (two, one))), fault_id)


class Cut(LinkFault, verb="cut", help="Hold frames from one node to another, or both ways.", swarm=0.6):
    """Hold every frame on a link, or on several as one fault."""

    deed = Deed("you cut {cut}", "the network was cut: {cut}", over="the cut is healed", glyph=APART)

    links: Annotated[
        tuple[Link, ...],
        Word("1>2", _links, _links_text, Known.pairs, label="link"),
    ]
    """None twice; of several each is one direction."""

    @classmethod
    def usage(cls) -> str:
        """All that can be cut."""
        return "cut 1>2 or cut 1-2 or cut 1>2,3-1"

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """Traces tell several links from one."""
        return ("Cut", "CutLinks")

    @property
    def kind(self) -> str:
        """Of one link, or of several."""
        return self.kinds()[len(self.links) > 1]

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """Each direction is cut."""
        return _cuts((way for link in self.links for way in link.ways()), fault_id)


class Withhold(LinkFault, verb="withhold", help="Hold some kinds of messages on a link; all others pass."):
    """Hold messages of some kinds, though the link is whole: as one connection of several that stands still.

    One end may be client: EndTxn and its like pass between the built-in clients and a broker only.
    """

    deed = Deed("you had some messages held: {what}", "some messages are held: {what}")

    is_drawn: ClassVar[bool] = False

    link: Annotated[Link, Word("1-2", _link_of_clients_too, offers=_link_offers, label="link")]
    messages: Annotated[tuple[str, ...], Word("FetchResponse[,Vote]", kinds_of_messages, ",".join, sorted(MESSAGES))]
    """Names of messages; none twice."""

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """In each direction that it names."""
        return tuple(
            WithheldMessages(source=a, target=b, messages=self.messages, fault_id=fault_id) for a, b in self.link.ways()
        )


class Isolate(
    LinkFault, verb="isolate", help="Cut all links of one node to other nodes; clients still reach it.", swarm=0.6
):
    """Cut all links of one node to other nodes, both ways; clients still reach it."""

    deed = Deed(
        "you cut {n} off from all others",
        "{n} was cut off from all others",
        over="{n} is no longer cut off",
        glyph=APART,
    )

    node: w.Node

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """The node that is alone."""
        return (self.node.node_id,)

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:
        """To and from each other node."""
        one = self.node.node_id
        ways = ((one, two) for two in sorted(nodes) if two != one)
        return _cuts((way for one, two in ways for way in ((one, two), (two, one))), fault_id)


class Delay(LinkFault, verb="delay", help="Let frames leave later, in order.", swarm=0.6):
    """Each frame leaves later, order kept."""

    deed = Deed("you slowed the way between {links}", "the way between {links} got slow", glyph=SLOW)

    link: OneLink
    delay_ms: Annotated[int, duration("200ms", "50ms", "200ms", "1s")]
    jitter_ms: Annotated[
        int, Word("50ms jitter", _jitter_ms, "{}ms jitter".format, is_rest=True, is_always_written=False)
    ] = 0
    """Largest further extra time (exclusive)."""

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """Each direction is late."""
        late = {"delay_ms": self.delay_ms, "jitter_ms": self.jitter_ms, "fault_id": fault_id}
        return tuple(DelayedLink(source=a, target=b, **late) for a, b in self.link.ways())


class SlowLink(LinkFault, verb="slow-link", help="Limit a link to so many bytes each second.", swarm=0.6):
    """Frames share a limited rate."""

    deed = Deed("you narrowed the way between {links}", "the way between {links} got narrow", glyph=SLOW)

    link: OneLink
    bytes_per_second: Annotated[
        int,
        Word("64KiB", _rate,
             offers=("4KiB", "64KiB")),
    ]  # fmt: skip

    def rules(self, nodes: Sequence[NodeId], fault_id: int = 0) -> tuple[LinkRule, ...]:  # noqa: ARG002
        """Each direction has the rate for itself."""
        rate = {"bytes_per_second": self.bytes_per_second, "fault_id": fault_id}
        return tuple(LimitedLink(source=a, target=b, **rate) for a, b in self.link.ways())


class Reset(Fault, verb="reset", help="Break the connections between two nodes once.", family=LINK, swarm=0.6):
    """Break the connections between two nodes once; what is in flight is gone."""

    deed = Deed("you broke the connections of {n}", "the connections of {n} were broken")

    lasts: ClassVar[bool] = False

    link: Annotated[Link, Word("1-2", _two_ends, offers=_both_ways, label="link")]
