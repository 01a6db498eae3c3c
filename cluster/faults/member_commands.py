"""The words of commands about members of consumer groups."""

from __future__ import annotations

from typing import Any

from cluster.faults import arguments as arg
from cluster.faults.arguments import CommandError
from cluster.faults.members import MemberOrder, Subscribe

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
ORDERS = ("leave", "kill", "pause", "resume", "commit")
COMMITS = ("auto", "each", "no")
PROTOCOLS = ("classic", "consumer")
OF_COORDINATOR = ("uniform", "range")
KEYS = ("group", "member", "assignor", "instance", "commit", "protocol")
SUBSCRIBE_USAGE = (
    "consume TOPIC[,TOPIC] group=G member=M [assignor=range] [instance=I] [commit=auto|each|no] [protocol=consumer]"
)
MEMBER_USAGE = "member M leave|kill|pause|resume|commit"


def subscribe(verb: str, words: list[str]) -> Subscribe:
    """consume orders,users group=g1 member=a assignor=sticky,range instance=shelf-1 commit=each."""
    given = arg.pairs(words[1:], verb, KEYS)
    if "member" not in given:
        raise CommandError("a member of a group needs a name", verb, hint=f"the form is: {SUBSCRIBE_USAGE}")
    topics = tuple(arg.topic_name(topic, f"{verb}: topic") for topic in words[0].split(","))
    if len(set(topics)) != len(topics):
        raise CommandError("a topic is named twice", f"{verb}: topic", words[0])
    protocol = _one_of(given.get("protocol", "classic"), f"{verb}: protocol", PROTOCOLS)
    known = ASSIGNORS if protocol == "classic" else OF_COORDINATOR
    default = "range" if protocol == "classic" else "uniform"
    assignors = tuple(given.get("assignor", default).split(","))
    if protocol == "consumer" and len(assignors) > 1:
        raise CommandError("a member of the newer protocol names one assignor", f"{verb}: assignor", given["assignor"])
    for name in assignors:
        _one_of(name, f"{verb}: assignor", known)
    return Subscribe(
        topics,
        arg.name(given["group"], f"{verb}: group"),
        arg.name(given["member"], f"{verb}: member"),
        assignors,
        arg.name(given["instance"], f"{verb}: instance") if "instance" in given else "",
        _one_of(given.get("commit", "auto"), f"{verb}: commit", COMMITS),
        protocol,
    )


def order(verb: str, words: list[str]) -> MemberOrder:
    """member a kill."""
    if len(words) != 2:
        what = "something is missing" if len(words) < 2 else "too many words"
        raise CommandError(what, verb, " ".join(words), hint=f"the form is: {MEMBER_USAGE}")
    return MemberOrder(arg.name(words[0], f"{verb}: name"), _one_of(words[1], f"{verb}: what", ORDERS))


VERB_OF: dict[type, str] = {Subscribe: "consume", MemberOrder: "member"}


def format_rest(command: Any) -> str:
    """What follows the verb; the command is of one of the types of VERB_OF."""
    if isinstance(command, MemberOrder):
        return f"{command.member} {command.order}"
    parts = [",".join(command.topics), f"group={command.group}", f"member={command.member}"]
    parts.append(f"assignor={','.join(command.assignors)}")
    parts += [f"instance={command.instance}"] if command.instance else []
    parts.append(f"commit={command.commit}")
    return " ".join([*parts, *([f"protocol={command.protocol}"] if command.protocol != "classic" else [])])


def _one_of(text: str, where: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise CommandError("not a choice", where, text, ", ".join(allowed))
    return text
