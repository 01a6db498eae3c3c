"""Writes the decode function of one class in one version: flat code, neighbouring fixed fields read at once."""

from __future__ import annotations

import struct

from cluster.kafka.codec import limits
from cluster.kafka.codec.fields import Field, fields_of
from cluster.kafka.codec.source import STRUCT_CODES, Compiled, Source

_HELPERS = {
    "read_uvarint": limits.read_uvarint,
    "read_length": limits.read_length,
    "read_tag_part": limits.read_tag_part,
    "skip_tags": limits.skip_tags,
    "refuse_more": limits.refuse_more,
    "refuse_length": limits.refuse_length,
    "refuse_count": limits.refuse_count,
    "refuse_tag_size": limits.refuse_tag_size,
    "unpack_from": struct.unpack_from,
}
_LEGACY_LENGTH = {"string": "h", "blob": "i", "record_set": "i", "array": "i"}


def compile_decoder(kind: type, version: int, *, flexible: bool) -> Compiled:
    """A function (buffer, position, budget) -> (object, position after it).

    In its text b is the buffer, p the position, n a length or count, q where a value ends, v1, v2, ... the values.
    """
    source = Source("def decode(b, p, budget):", dict(_HELPERS))
    source.line("end = len(b)", kind.__name__)
    writer = _DecoderWriter(source, version, flexible=flexible)
    source.line(f"return {writer.read_object(kind, kind.__name__)}, p", kind.__name__)
    return source.compiled(f"decode {kind.__name__} v{version}")


def min_bytes(kind: str, element: str | type | None, version: int, *, flexible: bool) -> int:
    """The least that a value of this kind takes, so that a count can be held against what is left."""
    if kind in STRUCT_CODES:
        return struct.calcsize(">" + STRUCT_CODES[kind])
    if kind != "struct" or not isinstance(element, type):
        return 1 if flexible else struct.calcsize(">" + _LEGACY_LENGTH[kind])
    present = [item for item in fields_of(element) if version in item.versions and item.tag is None]
    own = sum(
        1 if item.kind == "struct" and item.null else min_bytes(item.kind, item.element, version, flexible=flexible)
        for item in present
    )
    return own + flexible


class _DecoderWriter:
    """Emits lines that read. Fields of fixed size wait in _fixed until something of another size comes."""

    def __init__(self, source: Source, version: int, *, flexible: bool) -> None:
        self._source = source
        self._version = version
        self._flexible = flexible
        self._fixed: list[tuple[str, str, str]] = []

    def read_object(self, kind: type, path: str) -> str:
        """Lines that read all fields; the expression that makes the object."""
        values = {}
        tagged = []
        for item in fields_of(kind):
            if self._version not in item.versions:
                values[item.name] = self._default(item)
            elif item.tag is not None:
                tagged.append(item)
            else:
                values[item.name] = self._read(item, f"{path}.{item.name}")
        self._flush()
        if self._flexible:
            values.update(self._read_tags(tagged, path))
        name = self._source.constant(kind.__name__, kind)
        return f"{name}({', '.join(values[item.name] for item in fields_of(kind))})"

    def _default(self, item: Field) -> str:
        if item.kind == "uuid":
            return self._source.constant("NO_UUID", item.default)
        return "[]" if item.default == () else repr(item.default)

    def _read(self, item: Field, path: str) -> str:
        value = self._source.fresh("v")
        if item.kind in STRUCT_CODES:
            self._fixed.append((STRUCT_CODES[item.kind], value, path))
            return value
        nullable = item.nullable_in(self._version)
        if item.kind == "struct":
            return self._read_struct(item, value, path, nullable=nullable)
        self._read_length(item.kind, path)
        if not nullable:
            self._read_sized(item, value, path)
            return value
        with self._source.block("if n == -1:", path):
            self._source.line(f"{value} = None", path)
        with self._source.block("else:", path):
            self._read_sized(item, value, path)
        return value

    def _read_struct(self, item: Field, value: str, path: str, *, nullable: bool) -> str:
        assert isinstance(item.element, type)
        if not nullable:
            self._flush()
            self._source.line(f"{value} = {self.read_object(item.element, path)}", path)
            return value
        self._fixed.append(("b", "n", path))
        self._flush()
        with self._source.block("if n < 0:", path):
            self._source.line(f"{value} = None", path)
        with self._source.block("else:", path):
            self._source.line(f"{value} = {self.read_object(item.element, path)}", path)
        return value

    def _read_length(self, kind: str, path: str) -> None:
        if not self._flexible:
            self._fixed.append((_LEGACY_LENGTH[kind], "n", path))
            self._flush()
            return
        self._flush()
        self._source.line("n = b[p] - 1", path)
        self._source.line("p += 1", path)
        self._source.line("if n > 126: n, p = read_length(b, p, n + 1)", path)

    def _read_sized(self, item: Field, value: str, path: str) -> None:
        if item.kind == "array":
            self._read_array(item, value, path)
            return
        line = self._source.line
        line("q = p + n", path)
        line("if not p <= q <= end: refuse_length(n, end - p)", path)
        match item.kind:
            case "string":
                line(f'{value} = str(b[p:q], "utf-8")', path)
            case "blob":
                line(f"{value} = bytes(b[p:q])", path)
            case "record_set":
                self._source.namespace["memoryview"] = memoryview
                line(f"{value} = memoryview(b)[p:q]", path)
            case _:
                raise AssertionError(f"{path}: {item.kind} has no length before it")
        line("p = q", path)

    def _read_array(self, item: Field, value: str, path: str) -> None:
        element = item.element
        kind = "struct" if isinstance(element, type) else str(element)
        least = min_bytes(kind, element, self._version, flexible=self._flexible)
        line = self._source.line
        line(f"if not 0 <= n <= (end - p) // {least}: refuse_count(n, end - p)", path)
        self._take_from_budget(path)
        if kind in STRUCT_CODES:
            code = STRUCT_CODES[kind]
            line(f'{value} = list(unpack_from(f">{{n}}{code}", b, p))', path)
            line(f"p += {least} * n", path)
            return
        line(f"{value} = []", path)
        with self._source.block("for _ in range(n):", path):
            if isinstance(element, type):
                made = self.read_object(element, path)
            else:
                made = self._read(Field("", kind, None, item.versions, None, None, ""), path)
            line(f"{value}.append({made})", path)

    def _take_from_budget(self, path: str) -> None:
        self._source.line("budget -= n", path)
        self._source.line("if budget < 0: refuse_more()", path)

    def _read_tags(self, tagged: list[Field], path: str) -> dict[str, str]:
        line = self._source.line
        line("n = b[p]", path)
        line("p += 1", path)
        if not tagged:
            line("if n: p, budget = skip_tags(b, p, n, end, budget)", path)
            return {}
        values = {item.name: self._source.fresh("v") for item in tagged}
        for item in tagged:
            line(f"{values[item.name]} = {self._default(item)}", f"{path}.{item.name}")
        number, size_end = self._source.fresh("tag"), self._source.fresh("q")
        with self._source.block("if n:", path):
            line("if n > 127: n, p = read_uvarint(b, p, n)", path)
            self._take_from_budget(path)
            with self._source.block("for _ in range(n):", path):
                line(f"{number}, p = read_tag_part(b, p)", path)
                line("n, p = read_tag_part(b, p)", path)
                line("if n > end - p: refuse_length(n, end - p)", path)
                line(f"{size_end} = p + n", path)
                for item in tagged:
                    inner = f"{path}.{item.name}"
                    with self._source.block(f"if {number} == {item.tag}:", inner):
                        read = self._read(item, inner)
                        self._flush()
                        line(f"{values[item.name]} = {read}", inner)
                        line(f"if p != {size_end}: refuse_tag_size()", inner)
                line(f"p = {size_end}", path)
        return values

    def _flush(self) -> None:
        """One unpack for all that waits."""
        if not self._fixed:
            return
        codes = "".join(code for code, _, _ in self._fixed)
        names = ", ".join(name for _, name, _ in self._fixed)
        paths = [path for _, _, path in self._fixed]
        path = ", ".join([paths[0], *(item.rpartition(".")[2] for item in paths[1:])])
        comma = "," if len(self._fixed) == 1 else ""
        self._source.line(f"{names}{comma} = {self._source.packer(codes, 'unpack_from')}(b, p)", path)
        self._source.line(f"p += {struct.calcsize('>' + codes)}", path)
        self._fixed.clear()
