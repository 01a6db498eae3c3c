"""What a command is: a frozen class whose typed fields are its grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, Self, cast, dataclass_transform, get_type_hints

from cluster.language.words import CommandError, Known, NodeName, Word, pairs
from cluster.model.identifiers import NodeId

Find = Callable[[NodeName], NodeId]
ANY_COUNT = 1_000
_WORDS: dict[type, tuple[dict[str, Word], dict[str, Word]]] = {}


@dataclass_transform(frozen_default=True)
class Command:
    """The base of all commands. A field's Word says how it is written; a field with a default may be left out.

    Words with a place come first, then key=value in any order.
    """

    verb: ClassVar[str] = ""
    """Its first word, or its first two."""
    help: ClassVar[str] = ""
    only_simulated: ClassVar[str] = ""
    """Why real processes cannot do it; empty when they can."""

    def __init_subclass__(cls, verb: str = "", help: str = "", only_simulated: str = "", **more: Any) -> None:  # noqa: A002
        super().__init_subclass__(**more)
        cls.verb = verb
        cls.help = help or cls.help
        cls.only_simulated = only_simulated or cls.only_simulated
        dataclass(frozen=True)(cls)

    @classmethod
    def fits(cls, words: list[str]) -> bool:  # noqa: ARG003
        """Whether these words after the verb mean this command, where several share a verb."""
        return True

    @classmethod
    def read(cls, words: list[str], parse: Callable[[list[str]], Command]) -> Self:  # noqa: ARG003
        """The command of these words. `parse` reads a command within a command."""
        placed, keyed = words_of(cls)
        _must_count(cls, words, placed, keyed)
        head = cls.verb.partition(" ")[0]
        given: dict[str, Any] = {}
        for name, word in placed.items():
            if words:
                text = " ".join(words) if word.is_rest else words[0]
                words = [] if word.is_rest else words[1:]
                given[name] = word.read(text, f"{head}: {label(name, word)}")
        by_key = {word.key: (name, word) for name, word in keyed.items()}
        for key, text in pairs(words, head, tuple(by_key)).items():
            name, word = by_key[key]
            given[name] = word.read(text, f"{head}: {key}")
        given = cls.settle(given)
        if missing := [word.key for name, word in keyed.items() if name in required_of(cls) - given.keys()]:
            hint = f"the form is: {cls.usage()}"
            raise CommandError("something is missing", cls.verb, ", ".join(f"{key}=" for key in missing), hint=hint)
        return cls(**given)

    @classmethod
    def settle(cls, given: dict[str, Any]) -> dict[str, Any]:
        """What fields say of each other: those that are given, perhaps with more. CommandError when they contradict."""
        return given

    @classmethod
    def usage(cls) -> str:
        """The whole form."""
        placed, keyed = words_of(cls)
        default = required_of(cls)
        parts = [word.usage if name in default else f"[{word.usage}]" for name, word in placed.items()]
        parts += [
            f"{word.key}={word.usage}" if name in default else f"[{word.key}={word.usage}]"
            for name, word in keyed.items()
        ]
        return " ".join((cls.verb, *parts))

    @classmethod
    def offers(cls, words: list[str], known: Known) -> list[str]:
        """What may stand behind these words after the verb."""
        placed, keyed = words_of(cls)
        required = len(required_of(cls) & placed.keys())
        offers: list[str] = []
        if len(words) < len(placed):
            offers += list(placed.values())[len(words)].offered(known)
        if len(words) >= required:
            offers += [offer for word in keyed.values() for offer in word.offered(known)]
        return offers

    @classmethod
    def about(cls, first: str, choose: Callable[[Sequence[str]], str]) -> str:
        """As it is typed: `first`, and in each other place that has to be filled one of the words that it offers."""
        placed, _ = words_of(cls)
        needed = [word for name, word in placed.items() if name in required_of(cls)]
        return " ".join((cls.verb, first, *(choose(word.offered(Known())) for word in needed[1:])))

    @property
    def arguments(self) -> str:
        """What follows the verb; it reads back to the same command."""
        placed, keyed = words_of(type(self))
        parts = []
        for item in fields(cast(Any, self)):
            word, value = (placed | keyed)[item.name], getattr(self, item.name)
            if word.is_always_written or value != item.default:
                text = word.write(value)
                parts.append(f"{word.key}={text}" if word.key else text)
        return " ".join(parts)

    @property
    def kind(self) -> str:
        """Its class name, as traces tell it."""
        return type(self).__name__

    def __str__(self) -> str:
        return f"{self.verb} {self.arguments}".rstrip()


def words_of(kind: type[Command]) -> tuple[dict[str, Word], dict[str, Word]]:
    """The words of each field: those with a place, and those of key=value."""
    words_of_kind = _WORDS.get(kind)
    if words_of_kind is None:
        hints = get_type_hints(kind, include_extras=True)
        words = {item.name: hints[item.name].__metadata__[0] for item in fields(cast(Any, kind))}
        placed = {name: word for name, word in words.items() if not word.key}
        words_of_kind = _WORDS[kind] = placed, {name: word for name, word in words.items() if word.key}
    return words_of_kind


def required_of(kind: type[Command]) -> set[str]:
    """Fields without a default."""
    return {item.name for item in fields(cast(Any, kind)) if item.default is MISSING}


def label(name: str, word: Word) -> str:
    """What a message calls a field."""
    return word.label or name.removesuffix("_ms").removesuffix("_bytes").replace("_", " ")


def _must_count(kind: type[Command], words: list[str], placed: dict[str, Word], keyed: dict[str, Word]) -> None:
    least = len(required_of(kind) & placed.keys())
    most = ANY_COUNT if any(word.is_rest for word in placed.values()) else len(placed) + len(keyed)
    if not least <= len(words) <= most:
        what = "something is missing" if len(words) < least else "too many words"
        raise CommandError(what, kind.verb, " ".join(words), hint=f"the form is: {kind.usage()}")


def resolve(command: Command, find: Find) -> Command:
    """The command with every node as a number. What `find` raises goes through."""
    changed = {item.name: _resolved(getattr(command, item.name), find) for item in fields(cast(Any, command))}
    return cast(Command, replace(cast(Any, command), **changed))


def _resolved(value: Any, find: Find) -> Any:
    if isinstance(value, NodeName):
        return NodeName(find(value)) if value.part else value
    if isinstance(value, Command):
        return resolve(value, find)
    if isinstance(value, tuple):
        parts = [_resolved(part, find) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def names_in(value: Any) -> list[NodeName]:
    """Every node that a command names, in any depth."""
    if isinstance(value, NodeName):
        return [value]
    if isinstance(value, tuple):
        return [name for part in value for name in names_in(part)]
    if isinstance(value, Command):
        return [name for item in fields(cast(Any, value)) for name in names_in(getattr(value, item.name))]
    return []
