"""Puts mistakes into functions of this process. Nothing is written to disk, and no import is needed anew."""

from __future__ import annotations

import ast
import importlib
import inspect
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

from tests.mutants.sites import ROOT, Mutant, Site, parsed, sites

PROBE = "__probe__"
LOOSE = SimpleNamespace(frozen=False)
OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
}  # fmt: skip


def plant(mutant: Mutant) -> None:
    """From now on this process runs the function with its mistake."""
    function_of(mutant.file, mutant.function).__code__ = code_of(mutant)


@contextmanager
def planted(mutants: Sequence[Mutant]) -> Iterator[None]:
    """These mistakes, each in another function, for a while."""
    before = [function_of(mutant.file, mutant.function).__code__ for mutant in mutants]
    for mutant in mutants:
        plant(mutant)
    try:
        yield
    finally:
        for mutant, code in zip(mutants, before, strict=True):
            function_of(mutant.file, mutant.function).__code__ = code


@lru_cache(64)
def code_of(mutant: Mutant) -> CodeType:
    """Of its function with the mistake."""
    tree = parsed(mutant.file)
    site = sites(tree)[mutant.place][2]
    site.slot.put(site.after)
    return _codes(mutant.file, tree)[mutant.function]


class Probes:
    """Notes which mistakes would have made a difference where they stand: a run that meets none is the run without."""

    __slots__ = ("_compared", "_executed", "_forced", "hits")

    def __init__(self) -> None:
        self.hits: set[str] = set()
        """Names of mutants; cleared by who reads them."""
        self._executed: list[tuple[str, ...]] = []
        self._forced: list[tuple[tuple[bool, str], ...]] = []
        self._compared: list[tuple[Callable[[Any, Any], Any], str, Callable[[Any, Any], Any]]] = []

    def plant(self, file: str, mutants: Iterable[Mutant]) -> None:
        """Watch all sites of a file."""
        tree, names = parsed(file), {mutant.place: mutant.name for mutant in mutants}
        functions, slots = set(), defaultdict(list)
        for place, (function, _, site) in enumerate(sites(tree)):
            if place in names:
                functions.add(function)
                holder = site.slot.parent if site.after is None else None  # an element is left out where its list is
                slots[id(holder or site.slot.get())].append((site, names[place]))
        self._wrap(tree, slots)
        module = importlib.import_module(_module(file))
        setattr(module, PROBE, self)
        _take_over(file, _codes(file, tree), functions)

    def _wrap(self, node: ast.AST, slots: dict[int, list[tuple[Site, str]]]) -> ast.AST:
        """The node with everything below it watched, and itself."""
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, field, [self._wrap(item, slots) if isinstance(item, ast.AST) else item for item in value])
            elif isinstance(value, ast.AST):
                setattr(node, field, self._wrap(value, slots))
        return self._watched(node, slots[id(node)]) if id(node) in slots else node

    def _watched(self, node: ast.AST, found: list[tuple[Site, str]]) -> ast.AST:
        forced = tuple((site.forced, name) for site, name in found if site.forced is not None)
        compared = [(site, name) for site, name in found if site.kind == "compare"]
        executed = [name for site, name in found if site.forced is None and site.kind != "compare"]
        if isinstance(node, ast.stmt):
            noted = self._call("note", self._number(self._executed, tuple(executed)), ast.Constant(True))
            return ast.If(noted, [node], [])
        assert isinstance(node, ast.expr)
        watched: ast.expr = node
        same = [item for item in compared if _operands(item[0].after) == _operands(node) and len(_operands(node)) == 2]
        if same and isinstance(node, ast.Compare):
            ((site, name),) = same
            changed = OPERATORS[type(site.after.ops[0])]  # type: ignore[union-attr]
            number = self._number(self._compared, (OPERATORS[type(node.ops[0])], name, changed))
            watched = self._call("compare", number, node.left, node.comparators[0])
        executed += [name for site, name in compared if (site, name) not in same]
        if executed:
            watched = self._call("note", self._number(self._executed, tuple(executed)), watched)
        if forced:
            watched = self._call("guard", self._number(self._forced, forced), watched)
        return watched

    def _number(self, kept: list[Any], item: Any) -> ast.expr:
        kept.append(item)
        return ast.Constant(len(kept) - 1)

    def _call(self, method: str, *given: ast.expr) -> ast.expr:
        return ast.Call(ast.Attribute(ast.Name(PROBE, ast.Load()), method, ast.Load()), list(given), [])

    def note(self, number: int, value: Any) -> Any:
        """It was executed."""
        self.hits.update(self._executed[number])
        return value

    def guard(self, number: int, value: Any) -> Any:
        """It had a truth value."""
        is_true = bool(value)
        for forced, name in self._forced[number]:
            if forced is not is_true:
                self.hits.add(name)
        return value

    def compare(self, number: int, one: Any, other: Any) -> Any:
        """Two things were compared."""
        ours, name, theirs = self._compared[number]
        result = ours(one, other)
        if name not in self.hits and theirs(one, other) != result:
            self.hits.add(name)
        return result


def _operands(node: ast.AST | None) -> list[int]:
    """Of a comparison."""
    return [id(node.left), *map(id, node.comparators)] if isinstance(node, ast.Compare) else []


def is_pure(file: str, qualified: str) -> bool:
    """Whether a function of a file of rules changes nothing: it stands alone, or its class is frozen."""
    holder: Any = importlib.import_module(_module(file))
    *classes, _ = qualified.split(".")
    for part in classes:
        holder = holder.__dict__[part]
    is_frozen = not classes or issubclass(holder, tuple) or getattr(holder, "__struct_config__", LOOSE).frozen
    return is_frozen and not function_of(file, qualified).__code__.co_freevars


def can_be_planted(mutant: Mutant) -> bool:
    """Whether the function with its mistake fits where the function is."""
    return code_of(mutant).co_freevars == function_of(mutant.file, mutant.function).__code__.co_freevars


def _codes(file: str, tree: ast.Module) -> dict[str, CodeType]:
    """By qualified name."""
    found: dict[str, CodeType] = {}
    todo = [compile(ast.fix_missing_locations(tree), str(ROOT / file), "exec", dont_inherit=True)]
    while todo:
        for constant in todo.pop().co_consts:
            if isinstance(constant, CodeType):
                found[constant.co_qualname] = constant
                todo.append(constant)
    return found


def _take_over(file: str, codes: dict[str, CodeType], functions: Iterable[str]) -> None:
    for name in functions:
        function_of(file, name).__code__ = codes[name]


def function_of(file: str, qualified: str) -> FunctionType:
    """As it was written, without what decorators put around it."""
    place: Any = importlib.import_module(_module(file))
    for part in qualified.split("."):
        place = place.__dict__[part]
    if isinstance(place, property):
        place = place.fget
    if isinstance(place, staticmethod | classmethod):
        place = place.__func__
    if hasattr(place, "cache_clear"):
        place.cache_clear()
    place = inspect.unwrap(place)
    assert isinstance(place, FunctionType), f"{file}:{qualified} is no function"
    return place


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")
