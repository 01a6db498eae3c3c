"""The words of commands about topics and their records."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from cluster.faults import arguments as arg
from cluster.faults import member_commands as members
from cluster.faults import topics as t
from cluster.faults.arguments import CommandError
from cluster.faults.members import Subscribe
from cluster.model.identifiers import OFFSETS_TOPIC, NodeId

COUNT_MAX = 1_000_000
OFFSET_MAX = 1 << 39
HIGH_WATERMARK = "-1"
"""In place of an offset: all that is committed."""
Parser = Callable[[str, list[str]], Any]
_ACKS = {"all": -1, "-1": -1, "0": 0, "1": 1}
_YES_NO = {"yes": 1, "no": 0}
_ON_OFF = {"on": 1, "off": 0}
FORMS = {
    "topic": "topic NAME [partitions=1] [replicas=3] [min-isr=1] [assign=1,2,3] [wait=yes|no] [retries=yes|no]",
    "produce": "produce TOPIC[-P] COUNT [acks=all|0|1] [value=text] [batch=1] [in-flight=1] [wait=yes|no] "
    "[retries=yes|no] [idempotent=off|on]",
    "consume": f"consume TOPIC[-P] [from=0] [wait=yes|no], or {members.SUBSCRIBE_USAGE}",
    "delete-records": "delete-records TOPIC-P OFFSET|-1 [wait=yes|no]",
    "elect": "elect TOPIC-P [unclean]",
}
"""Verb to its usage."""


def _exactly(verb: str, words: list[str], least: int, most: int) -> None:
    if not least <= len(words) <= most:
        what = "something is missing" if len(words) < least else "too many words"
        raise CommandError(what, verb, " ".join(words), hint=f"the form is: {FORMS[verb]}")


def _waits(given: dict[str, str], verb: str) -> bool:
    return bool(arg.choice(given.get("wait", "yes"), f"{verb}: wait", _YES_NO))


def _retries(given: dict[str, str], verb: str) -> bool:
    return bool(arg.choice(given.get("retries", "yes"), f"{verb}: retries", _YES_NO))


def _topic(verb: str, words: list[str]) -> t.CreateTopic:
    _exactly(verb, words, 1, 7)
    topic = arg.topic_name(words[0], f"{verb}: name", (OFFSETS_TOPIC,))
    given = arg.pairs(words[1:], verb, ("partitions", "replicas", "min-isr", "assign", "wait", "retries"))
    assign: tuple[NodeId, ...] = ()
    if "assign" in given:
        where = f"{verb}: assign"
        assign = tuple(arg.number(part, where, 1, 99) for part in given["assign"].split(","))
        if len(set(assign)) != len(assign):
            raise CommandError("a broker is named twice", where, given["assign"])
    replicas = arg.number(given.get("replicas", str(len(assign) or 3)), f"{verb}: replicas", 1, 9)
    if assign and replicas != len(assign):
        raise CommandError("does not fit assign", f"{verb}: replicas", str(replicas), str(len(assign)))
    min_isr = arg.number(given.get("min-isr", "1"), f"{verb}: min-isr", 1, 9)
    if min_isr > replicas:
        raise CommandError("no acks=all write could ever succeed", f"{verb}: min-isr", str(min_isr), f"1 to {replicas}")
    partitions = arg.number(given.get("partitions", "1"), f"{verb}: partitions", 1, 64)
    return t.CreateTopic(topic, partitions, replicas, min_isr, assign, _waits(given, verb), _retries(given, verb))


def _produce(verb: str, words: list[str]) -> t.Produce:
    _exactly(verb, words, 2, 9)
    given = arg.pairs(words[2:], verb, ("acks", "value", "batch", "in-flight", "wait", "retries", "idempotent"))
    acks = arg.choice(given.get("acks", "all"), f"{verb}: acks", _ACKS)
    retries = _retries(given, verb)
    idempotent = bool(arg.choice(given.get("idempotent", "off"), f"{verb}: idempotent", _ON_OFF))
    if idempotent and (acks != -1 or not retries):
        raise CommandError("needs acks=all and retries=yes", f"{verb}: idempotent", "on", "off")
    return t.Produce(
        arg.topic_partition(words[0], f"{verb}: topic"),
        arg.number(words[1], f"{verb}: count", 1, COUNT_MAX),
        acks,
        given.get("value", "value")[:200],
        arg.number(given.get("batch", "1"), f"{verb}: batch", 1, 1000),
        arg.number(given.get("in-flight", "1"), f"{verb}: in-flight", 1, 100),
        _waits(given, verb),
        retries,
        idempotent,
    )


def _consume(verb: str, words: list[str]) -> t.Consume | Subscribe:
    if any(word.startswith("group=") for word in words[1:]):
        return members.subscribe(verb, words)
    _exactly(verb, words, 1, 3)
    given = arg.pairs(words[1:], verb, ("from", "wait"))
    start = arg.number(given.get("from", "0"), f"{verb}: from", 0, OFFSET_MAX)
    return t.Consume(arg.topic_partition(words[0], f"{verb}: topic"), start, _waits(given, verb))


def _delete_records(verb: str, words: list[str]) -> t.DeleteRecords:
    _exactly(verb, words, 2, 3)
    where = arg.topic_partition(words[0], f"{verb}: partition", needs_index=True)
    given = arg.pairs(words[2:], verb, ("wait",))
    before = -1 if words[1] == HIGH_WATERMARK else arg.number(words[1], f"{verb}: offset", 0, OFFSET_MAX)
    return t.DeleteRecords(where, before, _waits(given, verb))


def _elect(verb: str, words: list[str]) -> t.Elect:
    _exactly(verb, words, 1, 2)
    if len(words) == 2 and words[1] != "unclean":
        raise CommandError("unknown argument", verb, words[1], "unclean")
    return t.Elect(arg.topic_partition(words[0], f"{verb}: partition", needs_index=True), len(words) == 2)


PARSERS: dict[str, tuple[Parser, str, str]] = {
    "topic": (
        _topic,
        FORMS["topic"],
        f"Create a topic; {OFFSETS_TOPIC} too, before its first group: who leads a partition of it coordinates groups.",
    ),
    "produce": (_produce, FORMS["produce"], "Write records."),
    "consume": (
        _consume,
        FORMS["consume"],
        "Read records below the high watermark, once or as a member of a group.",
    ),
    "delete-records": (
        _delete_records,
        FORMS["delete-records"],
        "Delete the records before an offset, or with -1 all below the high watermark.",
    ),
    "elect": (
        _elect,
        FORMS["elect"],
        "Elect the preferred leader; unclean gives a partition without a leader any live replica.",
    ),
}
"""Verb to parser, usage and one sentence."""
VERB_OF: dict[type, str] = {
    t.CreateTopic: "topic",
    t.Produce: "produce",
    t.Consume: "consume",
    t.DeleteRecords: "delete-records",
    t.Elect: "elect",
}


def format_rest(command: Any) -> str:
    """What follows the verb; the command is of one of the types of VERB_OF."""
    match command:
        case t.CreateTopic(topic, partitions, replicas, min_isr, assign, waits, retries):
            tail = f" assign={','.join(map(str, assign))}" if assign else ""
            tail += ("" if waits else " wait=no") + ("" if retries else " retries=no")
            return f"{topic} partitions={partitions} replicas={replicas} min-isr={min_isr}{tail}"
        case t.Produce():
            acks = "all" if command.acks < 0 else str(command.acks)
            parts = [str(command.topic_partition), str(command.count), f"acks={acks}"]
            parts.append(shlex.quote(f"value={command.value}"))
            parts += [f"batch={command.batch}", f"in-flight={command.in_flight}"]
            parts += [f"wait={'yes' if command.wait else 'no'}", f"retries={'yes' if command.retries else 'no'}"]
            parts += ["idempotent=on"] if command.idempotent else []
            return " ".join(parts)
        case t.Consume(topic_partition, offset, waits):
            return f"{topic_partition} from={offset}{'' if waits else ' wait=no'}"
        case t.DeleteRecords(topic_partition, before_offset, waits):
            return f"{topic_partition} {before_offset}{'' if waits else ' wait=no'}"
        case _:
            return f"{command.topic_partition}{' unclean' if command.unclean else ''}"


def offers(words: list[str], topics: tuple[str, ...]) -> list[str]:
    """What may stand as the next word. Topics are partitions such as orders-0."""
    verb, place = words[0], len(words)
    if verb == "topic":
        return ["partitions=1", "replicas=3", "min-isr=2", "assign=", "wait=no", "retries=no"]
    if place == 1:
        return list(topics)
    if verb == "produce":
        first = ["1", "5", "10", "100"] if place == 2 else ["acks=all", "acks=1", "acks=0", "value=", "batch=10"]
        return first if place == 2 else [*first, "in-flight=5", "wait=no", "retries=no", "idempotent=on"]
    if verb == "delete-records":
        return [[HIGH_WATERMARK, "5"], ["wait=no"], []][min(place, 4) - 2]
    return {"consume": ["from=0", "group="], "elect": ["unclean"]}[verb] if place == 2 else []
