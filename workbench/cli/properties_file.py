"""Files of settings: a server.properties, a compose file whose images take them as KAFKA_..., and what is neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.support.safe_text import safe_text

Values = dict[str, tuple[int, str]]
"""Name of a setting to its line, from 1, and its value."""
SERVER = ("process.roles", "node.id", "broker.id", "listeners", "advertised.listeners", "zookeeper.connect")
"""A file, or a service of a compose file, with one of these is meant for a broker or controller."""
KINDS = {
    "a worker of Kafka Connect": ("key.converter", "config.storage.topic", "offset.storage.file.filename"),
    "a producer": ("acks", "key.serializer", "enable.idempotence", "linger.ms", "batch.size", "transactional.id"),
    "a consumer": ("group.id", "key.deserializer", "auto.offset.reset", "isolation.level", "max.poll.records"),
    "a client": ("bootstrap.servers",),
    "ZooKeeper": ("dataDir", "clientPort", "tickTime"),
    "a logger": ("log4j.rootLogger", "rootLogger.level", "rootLogger"),
}
"""Whom a file is meant for, by names that its settings alone have. The first that has one counts."""
_LINE = re.compile(r"\s*([^\s=:]+)\s*[=:\s]\s*(.*?)\s*$")
_ENVIRONMENT = re.compile(
    r"""(?P<item>-\s+)?(?P<quote>["']?)KAFKA_(?:CFG_)?(?P<name>[A-Z0-9_]+)(?(item)=|(?P=quote):\s)\s*(?P<value>.*)"""
)
_ANCHOR = re.compile(r":\s*&(\S+)\s*$")
_MERGE = re.compile(r"<<:\s*(.+)")
_OF_THE_IMAGE = re.compile(
    r"(HEAP|JVM_PERFORMANCE|GC_LOG|LOG4J|JMX)?_?(OPTS|HOSTNAME|PORT)|VERSION|CLUSTER_ID|(TOOLS_)?LOG4J_.*|CLUSTERS_.*"
)
"""What images take for themselves."""


class Mistake(NamedTuple):
    """One thing that Kafka would refuse, or that does nothing."""

    line: int
    """From 1; 0 for what is missing."""
    text: str


def read_properties(text: str, mistakes: list[Mistake]) -> Values:
    """The settings of a server.properties; lines that say nothing, or nothing any more, go to `mistakes`."""
    values: Values = {}
    for number, line in _lines(text):
        read = _LINE.match(f"{line} ")
        if read is None:
            mistakes.append(Mistake(number, f"'{safe_text(line.strip(), 60)}': not name=value"))
            continue
        name, value = read[1], read[2]
        if name in values:
            what = f"does nothing: it stands again at line {number}, and the last one counts"
            mistakes.append(Mistake(values[name][0], f"{safe_text(name, 80)}: {what}"))
        values[name] = number, value
    return values


def _lines(text: str) -> list[tuple[int, str]]:
    """(number of the first line, text) of each that says something; a backslash at its end joins the next one to it."""
    logical: list[tuple[int, str]] = []
    goes_on = False
    for number, line in enumerate(text.splitlines(), 1):
        if goes_on:
            logical[-1] = logical[-1][0], logical[-1][1] + line.strip()
        elif line.strip() and line.lstrip()[0] not in "#!":
            logical.append((number, line))
        else:
            continue
        goes_on = logical[-1][1].endswith("\\")
        logical[-1] = logical[-1][0], logical[-1][1].removesuffix("\\")
    return logical


def meant_for(values: Values) -> str:
    """Whom a file of settings is meant for that says nothing of a broker or controller; empty when it is not clear."""
    if values.keys() & set(SERVER):
        return ""
    return next((kind for kind, names in KINDS.items() if values.keys() & set(names)), "")


def is_compose(text: str) -> bool:
    """Whether it is a compose file; else it may be a file of properties."""
    return re.search(r"^services:\s*$", text, re.MULTILINE) is not None


def read_compose(text: str) -> list[Values]:
    """The settings of each broker and controller in a compose file.

    KAFKA_NODE_ID is node.id: small letters, a dot for each underscore, one underscore for two, a dash for three.
    Source: Kafka KafkaDockerWrapper; the images of others do the same, some with KAFKA_CFG_.
    """
    anchors: dict[str, Values] = {}
    services = []
    for named, values in _blocks(text, anchors):
        anchors[named] = values
        if values.keys() & set(SERVER) and not named:
            services.append(values)
    return services


def _blocks(text: str, anchors: dict[str, Values]) -> Iterator[tuple[str, Values]]:
    """(anchor or empty, its settings) of each mapping or list that ends with the next less indented line."""
    named, values, indent, last = "", Values(), -1, ""
    for number, line in enumerate([*text.splitlines(), "end:"], 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip())
        setting, merge = _ENVIRONMENT.match(bare), _MERGE.match(bare)
        if indent >= 0 and depth < indent:
            yield named, values
            named, values, indent = "", Values(), -1
        if merge and (indent < 0 or depth == indent):
            for anchor in re.findall(r"\*([^\s,\]]+)", merge[1]):
                values |= anchors.get(anchor, {})
        elif setting and not _OF_THE_IMAGE.fullmatch(setting["name"]):
            anchor = _ANCHOR.search(last)
            named, indent = (anchor[1] if anchor else named), depth
            begun = setting["quote"] if setting["item"] else ""  # it goes around the whole item then
            values[_setting_name(setting["name"])] = number, _plain(begun + setting["value"])
        last = bare


def _setting_name(variable: str) -> str:
    dashes = variable.lower().replace("___", "-").replace("__", "\0")
    return dashes.replace("_", ".").replace("\0", "_")


def _plain(value: str) -> str:
    """A value of YAML without its quotes, or without the remark after it."""
    quoted = re.match(r"""(["'])(.*?)\1""", value)
    return quoted[2] if quoted else re.sub(r"\s+#.*", "", value).strip()
