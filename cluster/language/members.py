"""Commands about built-in members of consumer groups."""

from __future__ import annotations

from typing import Annotated, Any

from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import CommandError, Known, Word, key, one_of

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
ORDERS = ("leave", "kill", "pause", "resume", "commit")
OF_COORDINATOR = ("uniform", "range")


def _topics(text: str, where: str) -> tuple[str, ...]:
    topics = tuple(w.topic_name(topic, where) for topic in text.split(","))
    if len(set(topics)) != len(topics):
        raise CommandError("a topic is named twice", where, text)
    return topics


def _assignors(text: str, _where: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _offered(known: Known) -> list[str]:
    return list(known.topics)


class Subscribe(Command, verb="consume", help="Read as a member of a group."):
    """A built-in consumer joins a group and reads its part until it is told to leave."""

    topics: Annotated[tuple[str, ...], Word("TOPIC[,TOPIC]", _topics, ",".join, _offered, label="topic")]
    group: Annotated[str, Word("G", w.name, key="group")]
    member: Annotated[str, Word("M", w.name, key="member")]
    """What it is called in the run."""
    assignors: Annotated[
        tuple[str, ...],
        Word("range", _assignors, ",".join, ASSIGNORS, key="assignor"),
    ] = ("range",)
    """In its order of preference: range, roundrobin, sticky, cooperative-sticky. Newer protocol: uniform or range."""
    instance: Annotated[str, key("instance", "I", w.name, is_always_written=False)] = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    commit: Annotated[str, key("commit", "auto|each|no", one_of("auto", "each", "no"), "each", "no")] = "auto"
    """auto every interval, each after each poll, no never by itself."""
    protocol: Annotated[
        str,
        key("protocol", "consumer", one_of("classic", "consumer"), "consumer", is_always_written=False),
    ] = "classic"
    """group.protocol: classic, or consumer for the newer one (KIP-848)."""

    @classmethod
    def fits(cls, words: list[str]) -> bool:
        """A member of a group names its group."""
        return any(word.startswith("group=") for word in words[1:])

    @classmethod
    def settle(cls, given: dict[str, Any]) -> dict[str, Any]:
        """A member of a group has a name, and an assignor that its protocol knows."""
        if "member" not in given:
            hint = f"the form is: {cls.usage()}"
            raise CommandError("a member of a group needs a name", cls.verb, hint=hint)
        is_newer = given.get("protocol") == "consumer"
        assignors = given.setdefault("assignors", ("uniform",) if is_newer else cls.assignors)
        if is_newer and len(assignors) > 1:
            what = "a member of the newer protocol names one assignor"
            raise CommandError(what, "consume: assignor", ",".join(assignors))
        for name in assignors:
            one_of(*(OF_COORDINATOR if is_newer else ASSIGNORS))(name, "consume: assignor")
        return given


class MemberOrder(Command, verb="member", help="Do something with a consumer that is in a group."):
    """Something is done with a built-in member of a group."""

    member: Annotated[str, Word("M", w.name, label="name")]
    """What it is called in the run."""
    order: Annotated[str, Word("|".join(ORDERS), one_of(*ORDERS), offers=ORDERS, label="what")]
