"""Compiles all that a tab's Python can come to, and nothing else: whoever runs this is that Python."""

from __future__ import annotations

import ast
import py_compile
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

OURS = ("cluster", "workbench")
"""Rules read their sentences, and assertions stay on; what is foreign goes without."""
LEFT_OUT = ("_pyrepl", "bdb", "doctest", "multiprocessing", "pdb", "plistlib", "pydoc", "unittest", "xmlrpc")
"""Of the library: asked for only at a prompt, by a debugger, or for processes, which no tab has."""
WIDGETS = "textual.widgets"
CAPITAL = re.compile("(?=[A-Z])")


def compile_reached(folders: list[Path], roots: Iterable[str]) -> None:
    """Compile each module that the roots import, at once or later, beside its source."""
    waiting, reached = [*roots], dict[str, Path]()
    while waiting:
        name = waiting.pop()
        source = next(filter(None, (_source(folder, name) for folder in folders)), None)
        if name in reached or source is None or name.partition(".")[0] in LEFT_OUT:
            continue
        reached[name] = source
        package = name if source.name == "__init__.py" else name.rpartition(".")[0]
        waiting += [package, name.rpartition(".")[0], *_imported(ast.parse(source.read_bytes()), package)]
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH  # nobody looks for a source that is not there
    for name, source in reached.items():
        level = 0 if name.partition(".")[0] in OURS else 2
        py_compile.compile(str(source), f"{source}c", doraise=True, optimize=level, invalidation_mode=mode)


def modules_of(folder: Path, *packages: str) -> list[str]:
    """All modules of packages that import by names which they make."""
    paths = [path.relative_to(folder) for package in packages for path in (folder / package).rglob("*.py")]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]


def _source(folder: Path, name: str) -> Path | None:
    path = folder.joinpath(*name.split("."))
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    """Names of modules, or of what may be one; what is imported for its types only is not imported."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), orelse=orelse):
            for other in orelse:
                yield from _imported(other, package)
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            above = package.split(".")[: len(package.split(".")) + 1 - level] if level else []
            base = ".".join([*above, *([module] if module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in names)
            if base == WIDGETS:  # it imports a widget when it is asked for it: _input_box for InputBox
                yield from (f"{base}.{CAPITAL.sub('_', alias.name).lower()}" for alias in names)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _imported(child, package)
