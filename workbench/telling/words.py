"""Small words of all that is told: names as on the map, lists, numbers with their word, errors, ends of processes."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Sequence

from cluster.faults.grammar import VERB_OF
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import FIRST_CLIENT_ID, INTERNAL_TOPICS, SCRIPT_ID, NodeId, TopicPartition
from cluster.picture.asked import Missing
from cluster.picture.cluster_state import ClusterState
from workbench.support.safe_text import safe_text

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
NAMED_MAX = 3
"""Names that a list of them has at most; of more the rest is counted."""
SINGLE = {0: "lab", SCRIPT_ID: "lesson", FIRST_CLIENT_ID: "client"}
"""Who is called by no number; the first id of clients stands for all built-in ones, which share their links."""
NODE_WORDS = re.compile(r"\b(?:(voted for )|(?:node|broker|controller|leader) )(\d{1,5})\b")
DISK_CHARS = 4
"""Of a disk's id: enough to tell disks of one run apart."""


def node_name(node_id: int) -> str:
    """n3 for a node, client 1002 for a client, nobody for -1."""
    if node_id < 0:
        return "nobody"
    return SINGLE.get(node_id, f"n{node_id}" if node_id < FIRST_CLIENT_ID else f"client {node_id}")


def with_node_names(text: str) -> str:
    """A sentence of a node, of the lab or of a rule, with nodes named as on the screen: n3 for broker 3."""
    return NODE_WORDS.sub(r"\1n\2", text)


def names(node_ids: tuple[int, ...]) -> str:
    """n1,n2 or none."""
    return ",".join(map(node_name, node_ids)) or "none"


def error_name(error: int) -> str:
    """The protocol's name of an error code."""
    if error == -1:
        return "no answer"
    return ErrorCode(error).name if error in set(ErrorCode) else f"error {error}"


def exit_word(exit_code: int) -> str:
    """How a process ended: the signal's name, or its exit code."""
    if exit_code >= 0:
        return f"exit {exit_code}"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


def message_words(message: str) -> str:
    """fetch response for FetchResponse."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in message).strip()


def fault_words(kind: str, arguments: str) -> str:
    """A fault as one would type it."""
    verb = VERB_OF.get(kind) or safe_text(message_words(kind), 40).replace("_", " ")
    return f"{verb} {safe_text(arguments, 100)}".rstrip()


def disk_words(directory_id: str) -> str:
    """The beginning of a disk's id, as it is shown; empty where voters are numbers alone."""
    return f":{safe_text(directory_id, DISK_CHARS + 1).rstrip('…')[:DISK_CHARS]}" if directory_id else ""


def log_names(partitions: Iterable[tuple[str, int]], most: int = 4) -> str:
    """orders-0,1,2 users-0, the first few topics."""
    by_topic: dict[str, list[str]] = {}
    for topic, partition in partitions:
        by_topic.setdefault(topic, []).append(str(partition))
    shown = [f"{safe_text(topic, 40)}-{','.join(indexes)}" for topic, indexes in list(by_topic.items())[:most]]
    return " ".join(shown) or "nothing"


def number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if 0 <= count < len(NUMBERS) else f"{count:,}"


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


def losses(missing: Missing, of_none: str = "0") -> str:
    """0; 3; 2, 3 only on n1."""
    lost, kept = missing.counts
    return (f"{lost:,}" if lost else of_none) + (f", {kept:,} only on {nodes(missing.keepers)}" if kept else "")


def fate(missing: Missing) -> str:
    """none lost; 3 lost; none lost, 3 only on n1."""
    lost, comma, only = losses(missing, "none").partition(", ")
    return f"{lost} lost{comma}{only}"


def plural(count: int, one: str, many: str = "") -> str:
    """1 record, 2 records."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {many or one + 's'}"


def sentence(text: str) -> str:
    """With a capital, unless it begins with the name of a node."""
    return text if text[:1] == "n" and text[1:2].isdigit() else text[:1].upper() + text[1:]
