"""The command grammar: one for keys, command bar, scripts, lessons and the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from cluster.faults import arguments as arg
from cluster.faults import catalogue as c
from cluster.faults import clients
from cluster.faults import member_commands as members
from cluster.faults import simulated_commands as simulated
from cluster.faults import topic_commands as topics
from cluster.faults.arguments import CommandError
from cluster.faults.catalogue import Command

__all__ = ["CommandError", "CommandHelp", "format_command", "known_commands", "parse_command"]

LINE_MAX = 1000
Parser = Callable[[str, list[str]], Command]
FSYNC_KINDS: dict[str, Callable[[c.NodeName], Command]] = {
    "lie": c.FsyncLie,
    "lie-dir": c.FsyncLieDir,
    "fail": c.FsyncFail,
    "ok": c.FsyncOk,
}
"""Of fsync, but for slow, which takes a duration."""
STUTTER_LEAST_MS = 20
"""Of either part of its round: what is shorter, the scheduler of a busy machine blurs."""


class CommandHelp(Struct, frozen=True):
    """One line of help."""

    verb: str
    """First word."""
    usage: str
    """The whole form."""
    help: str
    """One sentence."""


def parse_command(text: str) -> Command:
    """The command that the text stands for. CommandError says what is wrong, where, and what is allowed."""
    if len(text) > LINE_MAX:
        raise CommandError(f"a command has at most {LINE_MAX} characters, this one has {len(text)}")
    try:
        words = shlex.split(text)
    except ValueError:
        raise CommandError("a quote is not closed", value=text) from None
    if not words:
        raise CommandError("empty command", allowed="one of " + ", ".join(VERBS))
    verb, rest = words[0], words[1:]
    entry = VERBS.get(verb)
    if entry is None:
        near = get_close_matches(verb, VERBS, n=3, cutoff=0.5)
        if near:
            raise CommandError("unknown command", value=verb, hint=f"did you mean {' or '.join(near)}?")
        raise CommandError("unknown command", value=verb, allowed="one of " + ", ".join(VERBS))
    return entry[0](verb, rest)


def known_commands() -> tuple[CommandHelp, ...]:
    """All verbs with usage and one sentence."""
    return tuple(CommandHelp(verb, usage, sentence) for verb, (_, usage, sentence) in VERBS.items())


def _exactly(verb: str, words: list[str], least: int, most: int) -> None:
    if not least <= len(words) <= most:
        what = "something is missing" if len(words) < least else "too many words"
        raise CommandError(what, verb, " ".join(words), hint=f"the form is: {VERBS[verb][1]}")


def _one_node(kind: Callable[[c.NodeName], Command]) -> Parser:
    def parse(verb: str, words: list[str]) -> Command:
        _exactly(verb, words, 1, 1)
        return kind(arg.node(words[0], f"{verb}: node"))

    return parse


def _bare(kind: Callable[[], Command]) -> Parser:
    def parse(verb: str, words: list[str]) -> Command:
        _exactly(verb, words, 0, 0)
        return kind()

    return parse


def _power_loss(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 1, 3)
    given = arg.pairs(words[1:], verb, ("keep", "pick"))
    keep = given.get("keep", c.DURABLE)
    if keep not in c.KEEPS:
        raise CommandError("not a choice", f"{verb}: keep", keep, ", ".join(c.KEEPS))
    pick = arg.number(given.get("pick", "0"), f"{verb}: pick", 0, 999_999)
    return c.PowerLoss(arg.nodes(words[0], f"{verb}: nodes"), keep, pick)


def _stutter(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 3, 3)
    parts = []
    for what, word in zip(("run", "stop"), words[1:], strict=True):
        part_ms = arg.duration_ms(word, f"{verb}: {what}")
        if part_ms < STUTTER_LEAST_MS:
            allowed = f"{STUTTER_LEAST_MS}ms to 60s, for example 50ms"
            raise CommandError("duration out of range", f"{verb}: {what}", word, allowed)
        parts.append(part_ms)
    return c.Stutter(arg.node(words[0], f"{verb}: node"), *parts)


def _partition(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 1, 1)
    groups = tuple(arg.nodes(group, f"{verb}: group") for group in words[0].split("|"))
    named = [item for group in groups for item in group]
    if len(groups) < 2:
        raise CommandError("one group only", f"{verb}: groups", words[0], "two or more groups, for example 1,2|3")
    if len(set(named)) != len(named):
        raise CommandError("a node is in two groups", f"{verb}: groups", words[0])
    return c.Partition(groups)


def _cut(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 1, 1)
    links = [arg.link(text, f"{verb}: link") for text in words[0].split(",")]
    if len(links) == 1:
        return c.Cut(*links[0])
    ways = [(a, b) for source, target, both in links for a, b in ((source, target), (target, source))[: 1 + both]]
    if len(set(ways)) != len(ways):
        raise CommandError("a link is named twice", f"{verb}: links", words[0])
    return c.CutLinks(tuple(ways))


def _delay(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 2, 4)
    jitter_ms = 0
    if len(words) > 2:
        if len(words) == 3 and words[2] != "jitter" or len(words) == 4 and words[3] == "jitter":
            jitter_ms = arg.duration_ms(words[2], f"{verb}: jitter")
        else:
            raise CommandError("jitter is written after its duration", verb, " ".join(words[2:]), "50ms jitter")
    source, target, both_ways = arg.link(words[0], f"{verb}: link")
    return c.Delay(source, target, both_ways, arg.duration_ms(words[1], f"{verb}: delay"), jitter_ms)


def _slow_link(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 2, 2)
    rate = arg.size_bytes(words[1].removesuffix("/s"), f"{verb}: bytes per second", least=100)
    return c.SlowLink(*arg.link(words[0], f"{verb}: link"), rate)


def _reset(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 1, 1)
    first, second, _ = arg.link(words[0], f"{verb}: link", one_way=False)
    return c.Reset(first, second)


def _fsync(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 2, 3)
    kind, where = words[0], f"{verb}: node"
    if kind != "slow" and kind not in FSYNC_KINDS:
        raise CommandError("unknown kind", f"{verb}: kind", kind, ", ".join((*FSYNC_KINDS, "slow")))
    if (kind == "slow") != (len(words) == 3):
        raise CommandError("only slow takes a duration, and it needs one", verb, " ".join(words), "fsync slow 2 500ms")
    if kind == "slow":
        return c.FsyncSlow(arg.node(words[1], where), arg.duration_ms(words[2], f"{verb}: duration"))
    return FSYNC_KINDS[kind](arg.node(words[1], where))


def _disk_full(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 1, 2)
    budget = arg.size_bytes(words[1], f"{verb}: bytes", least=0) if len(words) == 2 else 0
    return c.DiskFull(arg.node(words[0], f"{verb}: node"), budget)


def _tear(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 2, 2)
    return c.Tear(arg.node(words[0], f"{verb}: node"), arg.log_name(words[1], f"{verb}: log"))


def _rot(verb: str, words: list[str]) -> Command:
    _exactly(verb, words, 3, 3)
    offset = arg.number(words[2], f"{verb}: offset", 0, 1 << 39)
    return c.Rot(arg.node(words[0], f"{verb}: node"), arg.log_name(words[1], f"{verb}: log"), offset)


def _heal(verb: str, words: list[str]) -> Command:
    if len(words) == 1 and words[0] in c.FAMILIES:
        return c.Heal(family=words[0])
    if len(words) > 1:
        described = parse_command(shlex.join(words))
        if isinstance(described, c.Heal):
            raise CommandError("no fault", f"{verb}: fault", " ".join(words), "kill 2, cut 1>2, ...")
        return c.Heal(None, described)
    return c.Heal(arg.number(words[0], f"{verb}: fault id", 1, 999_999_999) if words else None)


VERBS: dict[str, tuple[Parser, str, str]] = {
    "kill": (_one_node(c.Kill), "kill N", "End a node with SIGKILL; its files stay as written."),
    "stop": (_one_node(c.Stop), "stop N", "Ask a node to leave in order: leaderships move away first."),
    "start": (_one_node(c.Start), "start N", "Start a node that is down, on its own files."),
    "restart": (_one_node(c.Restart), "restart N", "Start a node again; one that runs is killed first."),
    "pause": (_one_node(c.Pause), "pause N", "Stop a node's process with SIGSTOP; the others only see silence."),
    "resume": (_one_node(c.Resume), "resume N", "Let a node that is paused or stutters go on."),
    "stutter": (
        _stutter,
        "stutter N RUN STOP",
        "Starve a node of its CPU: it runs and stands still in turn, with SIGSTOP and SIGCONT.",
    ),
    "power-loss": (
        _power_loss,
        "power-loss N[,M] [keep=durable|prefix|writes|sectors] [pick=0]",
        "Kill nodes; their files keep what was durable, and what else the disk may have by then.",
    ),
    "partition": (_partition, "partition 1,2|3", "Cut the network between groups of nodes, both ways."),
    "cut": (_cut, "cut 1>2 or cut 1-2 or cut 1>2,3-1", "Hold frames from one node to another, or both ways."),
    "isolate": (_one_node(c.Isolate), "isolate N", "Cut all links of one node to other nodes; clients still reach it."),
    "delay": (_delay, "delay 1-2 200ms [50ms jitter]", "Let frames leave later, in order."),
    "slow-link": (_slow_link, "slow-link 1-2 64KiB", "Limit a link to so many bytes each second."),
    "reset": (_reset, "reset 1-2", "Break the connections between two nodes once."),
    "fsync": (
        _fsync,
        "fsync lie N, fsync lie-dir N, fsync fail N, fsync slow N 500ms, fsync ok N",
        "Make a disk lie about files or about folders, fail, be slow, or behave again.",
    ),
    "disk-full": (_disk_full, "disk-full N [bytes]", "Let writes fail once so many more bytes are written."),
    "disk-ok": (_one_node(c.DiskOk), "disk-ok N", "Give the disk room again."),
    "flush": (_one_node(c.Flush), "flush N", "Have a node's logs written to its disk, as a system does by itself."),
    "misread": (_one_node(c.Misread), "misread N", "Let reads from a disk bring other bytes than were written."),
    "client": (clients.parse, clients.USAGE, clients.HELP),
    "wipe": (_one_node(c.Wipe), "wipe N", "Take away every file of a node that is down."),
    "tear": (_tear, "tear N LOG", "Cut the last batch of a log short; the node is down."),
    "rot": (_rot, "rot N LOG OFFSET", "Flip a bit in the batch that holds an offset; the node is down."),
    **simulated.PARSERS,
    "heal": (
        _heal,
        "heal [ID | FAULT | links | disks]",
        "Undo one fault, by its number or its words, all of the links, all of the disks, or all there are: "
        "nodes that were paused go on too; a node that is down stays down.",
    ),
    "undo": (_bare(c.Undo), "undo", "Undo the newest fault."),
    **topics.PARSERS,
    "member": (members.order, members.MEMBER_USAGE, "Do something with a consumer that is in a group."),
    "freeze": (_bare(c.Freeze), "freeze", "Pause every node."),
    "thaw": (_bare(c.Thaw), "thaw", "Let every node go on."),
    "status": (_bare(c.Status), "status", "Say what runs and which faults are in force."),
}


def format_command(command: Command) -> str:
    """The command in the grammar; parse_command reads it back to the same command."""
    kind = type(command)
    own = next((part for part in (simulated, clients, topics, members) if kind in part.VERB_OF), None)
    rest = _format_rest(command) if own is None else own.format_rest(command)
    return f"{VERB_OF[kind]} {rest}".rstrip()


VERB_OF: dict[type, str] = {
    c.Kill: "kill", c.Stop: "stop", c.Start: "start", c.Restart: "restart", c.Pause: "pause", c.Resume: "resume",
    c.Stutter: "stutter",
    c.FsyncLieDir: "fsync lie-dir", c.FsyncFail: "fsync fail", **simulated.VERB_OF, **clients.VERB_OF, **topics.VERB_OF,
    **members.VERB_OF,
    c.PowerLoss: "power-loss", c.Partition: "partition", c.Cut: "cut", c.CutLinks: "cut", c.Isolate: "isolate",
    c.Delay: "delay", c.SlowLink: "slow-link", c.Reset: "reset", c.FsyncLie: "fsync lie", c.FsyncSlow: "fsync slow",
    c.FsyncOk: "fsync ok", c.DiskFull: "disk-full", c.DiskOk: "disk-ok", c.Wipe: "wipe", c.Tear: "tear", c.Rot: "rot",
    c.Misread: "misread", c.Flush: "flush", c.Heal: "heal", c.Undo: "undo",
    c.Freeze: "freeze",
    c.Thaw: "thaw", c.Status: "status",
}  # fmt: skip
"""The first words of each kind of command."""


def _format_rest(command: Any) -> str:
    """What follows the verb, but for commands that have a file of their own."""
    match command:
        case c.PowerLoss(nodes, keep, pick):
            tail = "" if keep == c.DURABLE else f" keep={keep} pick={pick}"
            return ",".join(map(str, nodes)) + tail
        case c.Partition(groups):
            return "|".join(",".join(map(str, group)) for group in groups)
        case c.Cut() | c.CutLinks():
            return _format_cut(command)
        case c.Delay(source, target, both_ways, delay_ms, jitter_ms):
            return f"{_link(source, target, both_ways)} {delay_ms}ms" + (f" {jitter_ms}ms jitter" if jitter_ms else "")
        case c.SlowLink(source, target, both_ways, rate):
            return f"{_link(source, target, both_ways)} {rate}"
        case c.Reset(first, second):
            return f"{first}-{second}"
        case c.FsyncSlow(node, delay_ms):
            return f"{node} {delay_ms}ms"
        case c.Stutter(node, run_ms, stop_ms):
            return f"{node} {run_ms}ms {stop_ms}ms"
        case c.DiskFull(node, budget):
            return f"{node} {budget}" if budget else str(node)
        case c.Tear(node, log):
            return f"{node} {arg.log_text(log)}"
        case c.Rot(node, log, offset):
            return f"{node} {arg.log_text(log)} {offset}"
        case c.Heal(fault_id, described, family):
            return family or (format_command(described) if described else "" if fault_id is None else str(fault_id))
        case c.Undo() | c.Freeze() | c.Thaw() | c.Status():
            return ""
        case _:
            return str(command.node)


def _format_cut(command: c.Cut | c.CutLinks) -> str:
    if isinstance(command, c.Cut):
        return _link(command.source, command.target, command.both_ways)
    return ",".join(_link(source, target, False) for source, target in command.links)


def _link(source: c.NodeName, target: c.NodeName, both_ways: bool) -> str:  # noqa: FBT001
    return f"{source}{'-' if both_ways else '>'}{target}"
