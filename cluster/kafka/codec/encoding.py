"""Writes the encode function of one class in one version: flat code, neighbouring fixed fields written at once."""

from __future__ import annotations

import struct

from cluster.kafka.codec import limits
from cluster.kafka.codec.fields import UUID_BYTES, Field, fields_of
from cluster.kafka.codec.source import STRUCT_CODES, Compiled, Source
from cluster.model.byte_reader import uvarint

_HELPERS = {
    "U": limits.SHORT_UVARINTS,
    "write_uvarint": uvarint,
    "refuse_uuid": limits.refuse_uuid,
    "pack": struct.pack,
    "ZERO": b"\x00",
}
_LEGACY_LENGTH = {"string": "h", "blob": "i", "record_set": "i", "array": "i"}
_LEGACY_NULL = {"h": b"\xff\xff", "i": b"\xff\xff\xff\xff"}
_ZERO_BYTE = "x"
"""What `struct` calls a byte that is always zero: an empty list of tagged fields."""


def compile_encoder(kind: type, version: int, *, flexible: bool) -> Compiled:
    """A function (object, append) that hands the message to append in parts; record sets go as they are.

    In its text m is the message, a appends a part, x1, x2, ... are values and e1, e2, ... elements of arrays.
    """
    source = Source("def encode(m, a):", dict(_HELPERS))
    writer = _EncoderWriter(source, version, flexible=flexible)
    writer.write_object("m", kind, kind.__name__)
    writer.flush()
    source.line("return", kind.__name__)
    return source.compiled(f"encode {kind.__name__} v{version}")


class _EncoderWriter:
    """Emits lines that write. Fields of fixed size wait in _fixed until something of another size comes."""

    def __init__(self, source: Source, version: int, *, flexible: bool) -> None:
        self._source = source
        self._version = version
        self._flexible = flexible
        self._fixed: list[tuple[str, str, str]] = []

    def write_object(self, owner: str, kind: type, path: str) -> None:
        """Lines that write all fields of what the expression owner stands for."""
        tagged = []
        for item in fields_of(kind):
            if self._version not in item.versions:
                continue
            if item.tag is not None:
                tagged.append(item)
            else:
                self._write(item, f"{owner}.{item.name}", f"{path}.{item.name}")
        if tagged:
            self._write_tags(owner, sorted(tagged, key=lambda item: item.tag or 0), path)
        elif self._flexible:
            self._fixed.append((_ZERO_BYTE, "", path))

    def _write(self, item: Field, value: str, path: str) -> None:
        if item.kind in STRUCT_CODES:
            self._write_fixed(item.kind, value, path)
            return
        name = self._source.fresh("x")
        self._source.line(f"{name} = {value}", path)
        if not item.nullable_in(self._version):
            self._write_present(item, name, path)
            return
        self.flush()
        with self._source.block(f"if {name} is None:", path):
            self._source.line(f"a({self._null(item.kind)})", path)
        with self._source.block("else:", path):
            self._write_present(item, name, path, nullable=True)
            self.flush()

    def _null(self, kind: str) -> str:
        if kind == "struct":
            return self._source.constant("NULL", b"\xff")
        return "ZERO" if self._flexible else self._source.constant("NULL", _LEGACY_NULL[_LEGACY_LENGTH[kind]])

    def _write_fixed(self, kind: str, value: str, path: str) -> None:
        if kind == "uuid":
            self._source.line(f"if len({value}) != {UUID_BYTES}: refuse_uuid({value})", path)
        self._fixed.append((STRUCT_CODES[kind], value, path))

    def _write_present(self, item: Field, name: str, path: str, *, nullable: bool = False) -> None:
        line = self._source.line
        match item.kind:
            case "struct":
                assert isinstance(item.element, type)
                if nullable:
                    self._fixed.append(("b", "1", path))
                self.write_object(name, item.element, path)
            case "array":
                self._write_array(item, name, path)
            case "string":
                line(f"{name} = {name}.encode()", path)
                self._write_length(item.kind, name, path)
                line(f"a({name})", path)
            case "blob" | "record_set":
                self._write_length(item.kind, name, path)
                line(f"a({name})", path)
            case _:
                raise AssertionError(f"{path}: {item.kind} has no length before it")

    def _write_length(self, kind: str, name: str, path: str) -> None:
        if not self._flexible:
            self._fixed.append((_LEGACY_LENGTH[kind], f"len({name})", path))
            self.flush()
            return
        self.flush()
        self._source.line(f"n = len({name}) + 1", path)
        self._source.line("a(U[n] if n < 128 else write_uvarint(n))", path)

    def _write_array(self, item: Field, name: str, path: str) -> None:
        self._write_length("array", name, path)
        if isinstance(item.element, str) and item.element in STRUCT_CODES:
            code = STRUCT_CODES[item.element]
            self._source.line(f'a(pack(f">{{len({name})}}{code}", *{name}))', path)
            return
        element = self._source.fresh("e")
        with self._source.block(f"for {element} in {name}:", path):
            if isinstance(item.element, type):
                self.write_object(element, item.element, path)
            else:
                assert item.element is not None
                self._write_present(Field("", item.element, None, item.versions, None, None, ""), element, path)
            self.flush()

    def _write_tags(self, owner: str, tagged: list[Field], path: str) -> None:
        self.flush()
        line = self._source.line
        absent = {item.name: self._is_default(item, f"{owner}.{item.name}") for item in tagged}
        with self._source.block(f"if {' and '.join(absent.values())}:", path):
            line("a(ZERO)", path)
        outer, count, parts = self._source.fresh("a"), self._source.fresh("count"), self._source.fresh("tags")
        with self._source.block("else:", path):
            line(f"{outer} = a; {count} = 0; {parts} = []", path)
            for item in tagged:
                inner = f"{path}.{item.name}"
                with self._source.block(f"if not ({absent[item.name]}):", inner):
                    value = self._source.fresh("tag")
                    line(f"{value} = []; a = {value}.append", inner)
                    self._write(item, f"{owner}.{item.name}", inner)
                    self.flush()
                    line(f"{value} = b''.join({value})", inner)
                    line(f"{count} += 1", inner)
                    size = f"U[len({value})] if len({value}) < 128 else write_uvarint(len({value}))"
                    line(f"{parts} += (U[{item.tag}], {size}, {value})", inner)
            line(f"a = {outer}", path)
            line(f"a(U[{count}]); a(b''.join({parts}))", path)

    def flush(self) -> None:
        """One pack for all that waits."""
        if not self._fixed:
            return
        codes = "".join(code for code, _, _ in self._fixed)
        values = [value for code, value, _ in self._fixed if code != _ZERO_BYTE]
        paths = [path for _, _, path in self._fixed]
        path = ", ".join([paths[0], *(item.rpartition(".")[2] for item in paths[1:])])
        if values:
            self._source.line(f"a({self._source.packer(codes, 'pack')}({', '.join(values)}))", path)
        else:
            self._source.line(f"a({self._source.constant('ZEROS', bytes(len(codes)))})", path)
        self._fixed.clear()

    def _is_default(self, item: Field, value: str) -> str:
        """The expression that is true when a tagged field need not be written."""
        if isinstance(item.element, type) and item.kind == "struct":
            return f"({value} is None or {value} == {self._source.constant('NOTHING', item.element())})"
        if item.default is None:
            return f"{value} is None"
        if item.default == ():
            return f"not {value}"
        return f"{value} == {item.default!r}"
