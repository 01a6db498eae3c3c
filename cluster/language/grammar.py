"""One grammar for keys, command bar, scripts, lessons and the command line, made from the commands themselves."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import ModuleType

from msgspec import Struct

from cluster.language.command import Command
from cluster.language.words import CommandError, Known

LINE_MAX = 1000


class CommandHelp(Struct, frozen=True):
    """One line of help."""

    verb: str
    usage: str
    help: str


def commands_in(modules: Iterable[ModuleType]) -> list[type[Command]]:
    """The commands that these modules declare, in the order in which they stand there."""
    kinds = (kind for module in modules for kind in vars(module).values() if isinstance(kind, type))
    return [kind for kind in dict.fromkeys(kinds) if issubclass(kind, Command) and kind.verb]


class Grammar:
    """Reads, explains and continues commands."""

    def __init__(self, kinds: Iterable[type[Command]], together: Mapping[str, str]) -> None:
        """`together`: a first word that several commands share, and one sentence on all of them."""
        self._of: dict[str, list[type[Command]]] = {}
        self._together = together
        for kind in kinds:
            self._of.setdefault(kind.verb.partition(" ")[0], []).append(kind)

    def parse(self, text: str) -> Command:
        """The command that the text stands for. CommandError says what is wrong, where, and what is allowed."""
        if len(text) > LINE_MAX:
            raise CommandError(f"a command has at most {LINE_MAX} characters, this one has {len(text)}")
        try:
            return self._read(shlex.split(text))
        except ValueError:
            raise CommandError("a quote is not closed", value=text) from None

    def _read(self, words: list[str]) -> Command:
        if not words:
            raise CommandError("empty command", allowed="one of " + ", ".join(self._of))
        verb, *rest = words
        if verb not in self._of:
            near = get_close_matches(verb, self._of, n=3, cutoff=0.5)
            if near:
                raise CommandError("unknown command", value=verb, hint=f"did you mean {' or '.join(near)}?")
            raise CommandError("unknown command", value=verb, allowed="one of " + ", ".join(self._of))
        seconds = self._seconds(verb)
        if not seconds:
            kind = next(kind for kind in self._of[verb] if kind.fits(rest))
            return kind.read(rest, self._read)
        if not rest:
            raise CommandError("something is missing", verb, hint=f"the form is: {self._usage(verb)}")
        if rest[0] not in seconds:
            raise CommandError("unknown kind", f"{verb}: kind", rest[0], ", ".join(seconds))
        return seconds[rest[0]].read(rest[1:], self._read)

    def _seconds(self, verb: str) -> dict[str, type[Command]]:
        """The second words of a verb that has two; empty when it has one."""
        return {kind.verb.partition(" ")[2]: kind for kind in self._of[verb] if " " in kind.verb}

    def _usage(self, verb: str) -> str:
        return ", ".join(kind.usage() for kind in self._of[verb])

    def help(self) -> tuple[CommandHelp, ...]:
        """All first words with usage and one sentence."""
        return tuple(
            CommandHelp(verb, self._usage(verb), self._together.get(verb) or kinds[0].help)
            for verb, kinds in self._of.items()
        )

    def continuations(self, text: str, known: Known) -> list[str]:
        """Whole lines that continue the text, all of them."""
        head, space, last = text.rpartition(" ")
        words = head.split()
        if not space:
            return [verb for verb in self._of if verb.startswith(text) and verb != text]
        offers = self._offers(words, known) if words else []
        used = {word.partition("=")[0] for word in words if "=" in word}
        fitting = [word for word in offers if word.startswith(last) and word.partition("=")[0] not in used]
        return [f"{head} {word}" for word in dict.fromkeys(fitting) if word != last]

    def _offers(self, words: list[str], known: Known) -> list[str]:
        verb, *rest = words
        if verb not in self._of:
            return []
        seconds = self._seconds(verb)
        if not seconds:
            return [offer for kind in self._of[verb] for offer in kind.offers(rest, known)]
        if not rest:
            return list(seconds)
        return seconds[rest[0]].offers(rest[1:], known) if rest[0] in seconds else []
