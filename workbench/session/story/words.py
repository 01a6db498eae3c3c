"""Small words of the story: names as on the map, lists, roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cluster.model.identifiers import INTERNAL_TOPICS, NodeId, TopicPartition
from cluster.picture.cluster_state import ClusterState
from workbench.session.describe.sentences import node_name
from workbench.support.safe_text import safe_text

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
NAMED_MAX = 3
"""Names that a list of them has at most; of more the rest is counted."""


def number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else str(count)


def listed(names: Sequence[str], most: int = NAMED_MAX) -> str:
    """a, b and c; of many the first ones and how many more."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else "nobody"


def nodes(node_ids: Iterable[NodeId], most: int = 6) -> str:
    """n101, n102 and n103."""
    return listed([node_name(node) for node in node_ids], most)


def log_name(topic_partition: tuple[str, int]) -> str:
    """orders-0."""
    return f"{safe_text(topic_partition[0], 40)}-{topic_partition[1]}"


def led_by(picture: ClusterState, node: NodeId) -> list[TopicPartition]:
    """Partitions of people's topics that a broker leads, by name."""
    led = (tp for tp, item in picture.partitions.items() if item.leader == node)
    return sorted(tp for tp in led if tp.topic not in INTERNAL_TOPICS)


def with_role(picture: ClusterState, node: NodeId) -> str:
    """n103, the leader; n1, leader of orders-0; n2 for one that leads nothing."""
    if picture.quorum_leader == node:
        return f"{node_name(node)}, the leader"
    if picture.zookeeper.controller == node:
        return f"{node_name(node)}, the controller"
    led = [log_name(tp) for tp in led_by(picture, node)]
    return f"{node_name(node)}, leader of {listed(led, 2)}" if led else node_name(node)


def offsets(first: int, end: int) -> str:
    """158, 159, 160; of many records the first and the last."""
    if end - first <= 4:
        return ", ".join(map(str, range(first, end)))
    return f"{first} to {end - 1}"


def plural(count: int, one: str, many: str = "") -> str:
    """1 record, 2 records."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {many or one + 's'}"


def sentence(text: str) -> str:
    """With a capital, unless it begins with the name of a node."""
    return text if text[:1] == "n" and text[1:2].isdigit() else text[:1].upper() + text[1:]
