"""What is wrong with a server.properties of KRaft: each mistake with its line and the name that Kafka has for it.

Source: Kafka KafkaConfig.validateValues, QuorumConfig.parseVoterConnections, KIP-853.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from cluster.ordinary_file import read_ordinary
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

BYTES_MAX = 1 << 20
ROLES, NODE, VOTERS = "process.roles", "node.id", "controller.quorum.voters"
BOOTSTRAP, NAMES, LISTENERS = "controller.quorum.bootstrap.servers", "controller.listener.names", "listeners"
INTER_BROKER, JOIN = "inter.broker.listener.name", "controller.quorum.auto.join.enable"
KNOWN = (
    ROLES, NODE, VOTERS, BOOTSTRAP, NAMES, LISTENERS, INTER_BROKER, JOIN, "advertised.listeners", "log.dirs", "log.dir",
    "metadata.log.dir", "listener.security.protocol.map", "controller.quorum.election.timeout.ms",
    "controller.quorum.fetch.timeout.ms", "controller.quorum.election.backoff.max.ms", "min.insync.replicas",
    "controller.quorum.request.timeout.ms", "controller.quorum.retry.backoff.ms", "metadata.max.idle.interval.ms",
    "unclean.leader.election.enable", "num.partitions", "default.replication.factor",
)  # fmt: skip
"""Only of these families is a name that is not among them called wrong."""
FAMILIES = ("process.", "node.", "controller.quorum.", "controller.listener.", "metadata.log.")
GONE = {"zookeeper.connect": "ZooKeeper is gone since 4.0", "broker.id": f"with {ROLES} the id of a node is {NODE}"}
_VOTER = re.compile(r"([0-9]{1,9})@([^@:,\s]+|\[[^]]+\]):([0-9]{1,5})")
_SERVER = re.compile(r"([^@:,\s]+|\[[^]]+\]):([0-9]{1,5})")
_LINE = re.compile(r"\s*([^\s=:]+)\s*[=:\s]\s*(.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that Kafka would refuse, or that does nothing."""

    line: int
    """From 1; 0 for what is missing."""
    text: str


def examine_file(path: Path) -> int:
    """Print every mistake of a file. 0 when there is none, 1 when there is; Refusal 4 when it cannot be read."""
    try:
        text = read_ordinary(path, BYTES_MAX).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise Refusal(BAD_DATA, f"{safe_text(str(path), 200)} cannot be read: {safe_text(str(error), 200)}") from error
    found = mistakes(text)
    for each in found:
        place = f"{safe_text(str(path), 200)}:{each.line}" if each.line else safe_text(str(path), 200)
        print(f"{place}: {each.text}")
    if not found:
        print(f"{safe_text(str(path), 200)}: nothing is wrong with it")
    return 1 if found else 0


def mistakes(text: str) -> list[Mistake]:
    """In the order of their lines; what is missing comes first."""
    values: dict[str, tuple[int, str]] = {}
    found: list[Mistake] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip()[0] in "#!":
            continue
        read = _LINE.match(f"{line} ")
        if read is None:
            found.append(Mistake(number, f"'{safe_text(line.strip(), 60)}': not name=value"))
            continue
        name, value = read[1], read[2]
        found += _named_wrong(number, name)
        values[name] = number, value
    found += _quorum(values)
    return sorted(found, key=lambda each: each.line)


def _named_wrong(line: int, name: str) -> list[Mistake]:
    if name in GONE:
        return [Mistake(line, f"{name}: {GONE[name]}")]
    if name in KNOWN or not name.startswith(FAMILIES):
        return []
    near = [known for known in KNOWN if name.startswith(f"{known}.")] or get_close_matches(name, KNOWN, 1, 0.6)
    hint = f"; Kafka's name is {near[0]}" if near else ""
    return [Mistake(line, f"{safe_text(name, 80)}: Kafka has no such setting{hint}")]


def _quorum(values: dict[str, tuple[int, str]]) -> list[Mistake]:
    found: list[Mistake] = []
    line, told = values.get(ROLES, (0, ""))
    roles = _list(told)
    if not roles:
        return [Mistake(line, f"{ROLES} is missing: broker, controller, or broker,controller")]
    if not set(roles) <= {"broker", "controller"} or len(set(roles)) < len(roles):
        found.append(Mistake(line, f"{ROLES}: '{safe_text(told, 60)}'; broker, controller, or broker,controller"))
    node_line, node = values.get(NODE, (0, ""))
    if not node.isdecimal():
        found.append(Mistake(node_line, f"{NODE} is a number from 0 on, one for both roles of a node"))
    return [*found, *_voters(values, roles, node), *_listeners(values, roles)]


def _voters(values: dict[str, tuple[int, str]], roles: list[str], node: str) -> list[Mistake]:
    line, told = values.get(VOTERS, (0, ""))
    servers_line, servers = values.get(BOOTSTRAP, (0, ""))
    found = [
        Mistake(
            servers_line, f"{BOOTSTRAP}: '{safe_text(server, 60)}' is not host:port; a voter's id stands in {VOTERS}"
        )
        for server in _list(servers)
        if not _SERVER.fullmatch(server)
    ]
    if not told and not servers:
        return [Mistake(0, f"neither {BOOTSTRAP} (dynamic quorum) nor {VOTERS} (static quorum) is there")]
    if not told:
        return found
    read = [(voter, _VOTER.fullmatch(voter)) for voter in _list(told)]
    found += [
        Mistake(line, f"{VOTERS}: '{safe_text(voter, 60)}' is not id@host:port") for voter, is_one in read if not is_one
    ]
    ids = [is_one[1] for _, is_one in read if is_one]
    if len(set(ids)) < len(ids):
        found.append(Mistake(line, f"{VOTERS}: an id is named twice"))
    if "controller" in roles and node.isdecimal() and node not in ids:
        found.append(Mistake(line, f"{VOTERS}: controller {node} is not among them; each controller has to be"))
    if "controller" not in roles and node in ids:
        found.append(Mistake(line, f"{VOTERS}: node {node} has no controller role, so it does not vote"))
    join_line, joins = values.get(JOIN, (0, ""))
    if joins.lower() == "true":
        found.append(Mistake(join_line, f"{JOIN}: needs a dynamic quorum, so {BOOTSTRAP} and no {VOTERS}"))
    return found


def _listeners(values: dict[str, tuple[int, str]], roles: list[str]) -> list[Mistake]:
    line, told = values.get(NAMES, (0, ""))
    names = _list(told)
    if not names:
        return [Mistake(line, f"{NAMES} is missing: brokers and controllers find the controllers by it")]
    own_line, own = values.get(LISTENERS, (0, ""))
    here = [listener.partition("://")[0] for listener in _list(own)]
    found: list[Mistake] = []
    if "controller" in roles and names[0] not in here:
        found.append(Mistake(own_line, f"{LISTENERS}: no listener {safe_text(names[0], 40)}, which {NAMES} promises"))
    if roles == ["broker"] and set(names) & set(here):
        found.append(Mistake(own_line, f"{LISTENERS}: a broker alone opens no listener of {NAMES}"))
    inner_line, inner = values.get(INTER_BROKER, (0, ""))
    if inner and inner in names:
        found.append(Mistake(inner_line, f"{INTER_BROKER}: {safe_text(inner, 40)} is for controllers alone"))
    return found


def _list(value: str) -> list[str]:
    return [each.strip() for each in value.split(",") if each.strip()]
