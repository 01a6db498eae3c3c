"""Generated functions: their text, line by line, and which field each line is about."""

from __future__ import annotations

import linecache
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from msgspec import Struct, field

STRUCT_CODES = {
    "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "int64": "q", "float64": "d", "boolean": "?", "uuid": "16s",
}  # fmt: skip
"""What `struct` calls the kinds of fixed size."""


class Source(Struct):
    """A function that is being written."""

    head: str
    """Its first line: def name(parameters):"""
    namespace: dict[str, Any]
    """Names that the lines use: helpers, classes, packers. Grows as lines need them."""
    lines: list[str] = field(default_factory=list)
    """Its text so far."""
    paths: list[str] = field(default_factory=list)
    """For each line the field it is about."""
    depth: int = 1
    """Blocks around the next line."""
    names: int = 0
    """How many names are taken."""

    def __post_init__(self) -> None:
        self.lines.append(self.head)
        self.paths.append("")

    def line(self, text: str, path: str) -> None:
        """Add one line about one field."""
        self.lines.append("    " * self.depth + text)
        self.paths.append(path)

    @contextmanager
    def block(self, text: str, path: str) -> Iterator[None]:
        """A line that ends with a colon, and what stands below it."""
        self.line(text, path)
        self.depth += 1
        yield
        self.depth -= 1

    def fresh(self, stem: str) -> str:
        """A name that no other line has."""
        self.names += 1
        return f"{stem}{self.names}"

    def constant(self, stem: str, value: Any) -> str:
        """The name under which the lines find this value."""
        for name, constant in self.namespace.items():
            if constant is value:
                return name
        name = self.fresh(stem)
        self.namespace[name] = value
        return name

    def packer(self, codes: str, method: str) -> str:
        """The name of `pack` or `unpack_from` of a big-endian struct."""
        name = f"{method}_{codes.replace('?', 'o')}"
        if name not in self.namespace:
            self.namespace[name] = getattr(struct.Struct(">" + codes), method)
        return name

    def compiled(self, title: str) -> Compiled:
        """The function. Its text is ours alone: nothing that came over a wire is in it."""
        text = "\n".join(self.lines) + "\n"
        file = f"<kafka codec: {title}>"
        exec(compile(text, file, "exec"), self.namespace)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        name = self.head.removeprefix("def ").partition("(")[0]
        function = self.namespace[name]
        return Compiled(function, function.__code__, text, tuple(self.paths))


class Compiled(Struct, frozen=True):
    """A generated function."""

    function: Callable[..., Any]
    code: CodeType
    """Its code, to find its frame in a traceback."""
    text: str
    """Its source, for readers and debuggers."""
    paths: tuple[str, ...]
    """For each line the field it is about."""

    def place_of(self, error: BaseException) -> tuple[str, int]:
        """The field whose line failed, and the position it had reached; -1 when it has none."""
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code is self.code:
                return self.paths[trace.tb_lineno - 1], trace.tb_frame.f_locals.get("p", -1)
            trace = trace.tb_next
        return "", -1
