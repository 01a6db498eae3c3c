"""What is wrong with a server.properties of KRaft: each mistake with its line and the name that Kafka has for it.

Source: Kafka KafkaConfig.validateValues, QuorumConfig.parseVoterConnections, KIP-853.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cluster.ordinary_file import read_ordinary
from workbench.cli.kafka_settings import wrong_name, wrong_value
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

BYTES_MAX = 1 << 20
ROLES, NODE, VOTERS = "process.roles", "node.id", "controller.quorum.voters"
BOOTSTRAP, NAMES, LISTENERS = "controller.quorum.bootstrap.servers", "controller.listener.names", "listeners"
INTER_BROKER, JOIN = "inter.broker.listener.name", "controller.quorum.auto.join.enable"
OLD_NODE = "broker.id"
JUDGED_TOGETHER = (ROLES, NODE, OLD_NODE)
"""Their values are looked at with the rest of the file."""
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
    for number, line in _lines(text):
        read = _LINE.match(f"{line} ")
        if read is None:
            found.append(Mistake(number, f"'{safe_text(line.strip(), 60)}': not name=value"))
            continue
        name, value = read[1], read[2]
        if name in values:
            what = f"does nothing: it stands again at line {number}, and the last one counts"
            found.append(Mistake(values[name][0], f"{safe_text(name, 80)}: {what}"))
        values[name] = number, value
    for name, (number, value) in values.items():
        found += _wrong(number, name, value)
    found += _quorum(values)
    return sorted(found, key=lambda each: each.line)


def _lines(text: str) -> list[tuple[int, str]]:
    """(number of the first line, text) of each that says something; a backslash at its end joins the next one to it."""
    found: list[tuple[int, str]] = []
    goes_on = False
    for number, line in enumerate(text.splitlines(), 1):
        if goes_on:
            found[-1] = found[-1][0], found[-1][1] + line.strip()
        elif line.strip() and line.lstrip()[0] not in "#!":
            found.append((number, line))
        else:
            continue
        goes_on = found[-1][1].endswith("\\")
        found[-1] = found[-1][0], found[-1][1].removesuffix("\\")
    return found


def _wrong(line: int, name: str, value: str) -> list[Mistake]:
    """A name that Kafka has not got, or a value that it refuses."""
    if name == OLD_NODE:
        return [Mistake(line, f"{name}: with {ROLES} the id of a node is {NODE}")]
    why = wrong_name(name)
    if not why and name not in JUDGED_TOGETHER and (what := wrong_value(name, value)):
        why = f"'{safe_text(value, 60)}': {what}"
    return [Mistake(line, f"{safe_text(name, 80)}: {why}")] if why else []


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
