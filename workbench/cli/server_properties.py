"""What is wrong with a server.properties of KRaft: each mistake with its line and the name that Kafka has for it.

Source: Kafka KafkaConfig.validateValues, QuorumConfig.parseVoterConnections, KIP-853.
"""

from __future__ import annotations

import re
from pathlib import Path

from cluster.ordinary_file import read_ordinary
from workbench.cli.kafka_listeners import NOWHERE, PORT_MAX, listener_mistakes
from workbench.cli.kafka_settings import wrong_name, wrong_value
from workbench.cli.properties_file import Mistake, Values, is_compose, meant_for, read_compose, read_properties
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

BYTES_MAX = 1 << 20
ROLES, NODE, VOTERS = "process.roles", "node.id", "controller.quorum.voters"
BOOTSTRAP, JOIN = "controller.quorum.bootstrap.servers", "controller.quorum.auto.join.enable"
OLD_NODE = "broker.id"
JUDGED_TOGETHER = (ROLES, NODE, OLD_NODE)
"""Their values are looked at with the rest of the file."""
_SERVER = re.compile(r"(\[[0-9a-zA-Z\-%._:]+\]|[0-9a-zA-Z\-%._:]+):([0-9]{1,5})")
_VOTER = re.compile(rf"([0-9]{{1,9}})@{_SERVER.pattern}")
_NODE = re.compile(r"\+?[0-9]{1,10}")
NODE_MAX = (1 << 31) - 1


def examine_file(path: Path) -> int:
    """Print every mistake of a file. 0 when there is none, 1 when there is; Refusal 4 when it cannot be read."""
    try:
        text = read_ordinary(path, BYTES_MAX).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise Refusal(BAD_DATA, f"{safe_text(str(path), 200)} cannot be read: {safe_text(str(error), 200)}") from error
    shown = safe_text(str(path), 200)
    if kind := meant_for(read_properties(text, [])):
        raise Refusal(BAD_DATA, f"{shown} is meant for {kind}; doctor judges files of brokers and controllers")
    if is_compose(text) and not read_compose(text):
        raise Refusal(
            BAD_DATA, f"{shown}: no service sets KAFKA_PROCESS_ROLES or the like, so there is nothing to judge"
        )
    all_mistakes = mistakes(text)
    for each in all_mistakes:
        print(f"{shown}:{each.line}: {each.text}" if each.line else f"{shown}: {each.text}")
    if not all_mistakes:
        print(f"{shown}: nothing that Kafka 4.1 refuses was found in it")
    return 1 if all_mistakes else 0


def mistakes(text: str) -> list[Mistake]:
    """In the order of their lines; what is missing comes first."""
    all_mistakes: list[Mistake] = []
    if is_compose(text):
        for values in read_compose(text):
            first = min(line for line, _ in values.values())
            all_mistakes += [each._replace(line=each.line or first) for each in _mistakes_of(values)]
    else:
        all_mistakes += _mistakes_of(read_properties(text, all_mistakes))
    return sorted(all_mistakes)


def _mistakes_of(values: Values) -> list[Mistake]:
    each = [mistake for name, (number, value) in values.items() for mistake in _wrong(number, name, value)]
    return [*each, *_quorum(values)]


def _wrong(line: int, name: str, value: str) -> list[Mistake]:
    """A name that Kafka has not got, or a value that it refuses."""
    why = wrong_name(name)
    if not why and name not in JUDGED_TOGETHER and (what := wrong_value(name, value)):
        why = f"'{safe_text(value, 60)}': {what}"
    return [Mistake(line, f"{safe_text(name, 80)}: {why}")] if why else []


def _quorum(values: Values) -> list[Mistake]:
    all_mistakes: list[Mistake] = []
    line, value = values.get(ROLES, (0, ""))
    roles = _entries(value)
    if _is_elsewhere(value):
        return []
    if not roles:
        return [Mistake(line, f"{ROLES} is missing: broker, controller, or broker,controller")]
    if not set(roles) <= {"broker", "controller"} or len(set(roles)) < len(roles):
        all_mistakes.append(
            Mistake(line, f"{ROLES}: '{safe_text(value, 60)}'; broker, controller, or broker,controller")
        )
    node_line, node = values.get(NODE) or values.get(OLD_NODE, (0, ""))
    if not _is_elsewhere(node) and (not _NODE.fullmatch(node) or int(node) > NODE_MAX):
        all_mistakes.append(Mistake(node_line, f"{NODE} is a number from 0 on, one for both roles of a node"))
    old_line, old = values.get(OLD_NODE, (0, node))
    if old != node:
        all_mistakes.append(
            Mistake(old_line, f"{OLD_NODE}: with {ROLES} the id of a node is {NODE}, which says another one")
        )
    return [
        *all_mistakes,
        *_voters(values, roles, int(node) if _NODE.fullmatch(node) else None),
        *listener_mistakes(values, roles),
    ]


def _voters(values: Values, roles: list[str], node: int | None) -> list[Mistake]:
    """`node` is None where its id is no number."""
    line, value = values.get(VOTERS, (0, ""))
    servers_line, servers = values.get(BOOTSTRAP, (0, ""))
    all_mistakes = [
        Mistake(servers_line, f"{BOOTSTRAP}: {_not_a_server(server)} is not host:port; a voter's id stands in {VOTERS}")
        for server in _entries(servers)
        if _not_a_server(server)
    ]
    if not value and not servers:
        return [Mistake(0, f"neither {BOOTSTRAP} (dynamic quorum) nor {VOTERS} (static quorum) is there")]
    if not value or _is_elsewhere(value):
        return all_mistakes
    ids = set()
    for voter in _entries(value):
        is_one = _VOTER.fullmatch(voter)
        if is_one is None or _not_a_server(voter.partition("@")[2]):
            all_mistakes.append(Mistake(line, f"{VOTERS}: '{safe_text(voter, 60)}' is not id@host:port"))
            continue
        if is_one[2] == NOWHERE:
            all_mistakes.append(Mistake(line, f"{VOTERS}: nobody reaches {safe_text(voter, 60)}; name its host"))
        if int(is_one[1]) in ids:
            all_mistakes.append(Mistake(line, f"{VOTERS}: an id is named twice"))
        ids.add(int(is_one[1]))
    if "controller" in roles and node is not None and node not in ids:
        all_mistakes.append(Mistake(line, f"{VOTERS}: controller {node} is not among them; each controller has to be"))
    if "controller" not in roles and node in ids:
        all_mistakes.append(Mistake(line, f"{VOTERS}: node {node} has no controller role, so it does not vote"))
    join_line, joins = values.get(JOIN, (0, ""))
    if joins.lower() == "true":
        all_mistakes.append(Mistake(join_line, f"{JOIN}: needs a dynamic quorum, so {BOOTSTRAP} and no {VOTERS}"))
    return all_mistakes


def _not_a_server(text: str) -> str:
    """What to show of an address that has no form, or no port that there is; empty where it is right."""
    match = _SERVER.fullmatch(text)
    return "" if match and int(match[2]) <= PORT_MAX else f"'{safe_text(text, 60)}'"


def _is_elsewhere(value: str) -> bool:
    """Whether a config provider, or the shell, puts the value in."""
    return "${" in value


def _entries(value: str) -> list[str]:
    """The items of a list. An empty one stays: Kafka refuses it."""
    return [] if not value or _is_elsewhere(value) else [each.strip() for each in value.split(",")]
