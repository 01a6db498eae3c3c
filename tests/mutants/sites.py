"""Every small mistake that can be made in a function: where, and what stands there instead."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TEXT_MAX = 80
"""Characters of code in a name; longer code is cut, and told apart by a number."""
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
SHIFTED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
FARTHER: dict[type[ast.cmpop], type[ast.operator]] = {
    ast.Lt: ast.Sub, ast.LtE: ast.Add, ast.Gt: ast.Add, ast.GtE: ast.Sub,
}  # fmt: skip
"""The way in which a bound is off by one that another operator does not reach: x <= y + 1, x < y - 1."""


class Slot(NamedTuple):
    """Where a node hangs in its tree."""

    parent: ast.AST
    field: str
    place: int | None
    """In a list of nodes; None where there is one."""

    def get(self) -> ast.AST:
        """What hangs there."""
        found = getattr(self.parent, self.field)
        return found if self.place is None else found[self.place]  # type: ignore[no-any-return]

    def put(self, node: ast.AST | None) -> None:
        """Hang something else there; None takes an element of a list out."""
        if self.place is None:
            setattr(self.parent, self.field, node)
        elif node is None:
            del getattr(self.parent, self.field)[self.place]
        else:
            getattr(self.parent, self.field)[self.place] = node


@dataclass(frozen=True, slots=True)
class Site:
    """One mistake in a tree that was just parsed."""

    slot: Slot
    kind: str
    """compare, bound, guard, flip, or effect."""
    text: str
    """What is changed into what."""
    after: ast.AST | None
    """What stands there instead; None for nothing."""
    forced: bool | None = None
    """The truth value that a guard always has; None for other mistakes."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One function with one mistake in it."""

    name: str
    """FILE:FUNCTION:CHANGE; it stays as long as that function's own text does."""
    file: str
    """From the root of the project."""
    line: int
    function: str
    """Qualified within its module."""
    kind: str
    place: int
    """Which of the sites of the file."""

    @property
    def room(self) -> str:
        """The folder below cluster/."""
        return self.file.split("/")[1]


def parsed(file: str) -> ast.Module:
    """A fresh tree of a source file."""
    return ast.parse((ROOT / file).read_text("utf-8"))


def sites(tree: ast.Module) -> list[tuple[str, int, Site]]:
    """All mistakes of a file, each with the qualified name of its function and its line; always in the same order."""
    found: list[tuple[str, int, Site]] = []
    for name, function in _functions(tree.body, ""):
        for place, statement in enumerate(function.body):
            for site in _of_statement(Slot(function, "body", place), statement):
                found.append((name, getattr(site.slot.get(), "lineno", function.lineno), site))
    return found


def mutants(file: str) -> list[Mutant]:
    """All of a file, by place."""
    seen: Counter[tuple[str, str]] = Counter()
    made = []
    for place, (function, line, site) in enumerate(sites(parsed(file))):
        seen[function, site.text] += 1
        number = seen[function, site.text]
        name = f"{file}:{function}:{site.text}" + (f" #{number}" if number > 1 else "")
        made.append(Mutant(name, file, line, function, site.kind, place))
    return made


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods; what is defined within a function belongs to it."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and not (node.name.startswith("__") and node.name != "__init__"):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")


def _of_statement(slot: Slot, node: ast.stmt) -> Iterator[Site]:
    if isinstance(node, ast.Assert | ast.Raise | ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if _is_effect(node):
        yield Site(slot, "effect", f"without {_text(node)}", ast.Pass())
    for listed in _effect_lists(getattr(node, "value", None)):
        for place, item in enumerate(listed.elts):
            if isinstance(item, ast.Call | ast.Starred | ast.Name):
                yield Site(Slot(listed, "elts", place), "effect", f"without element {_text(item)}", None)
    if isinstance(node, ast.If):
        yield from _of_guard(Slot(node, "test", None), "if")
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "target", "targets") or isinstance(node, ast.AugAssign):
            yield from _of_field(node, field, value)


def _of_field(node: ast.AST, field: str, value: object) -> Iterator[Site]:
    parts = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
    for index, part in parts:
        slot = Slot(node, field, index)
        if isinstance(part, ast.stmt):
            yield from _of_statement(slot, part)
        elif isinstance(part, ast.expr):
            yield from _of_expression(slot, part, is_test=field == "test" and isinstance(node, ast.If | ast.IfExp))
        elif isinstance(part, ast.match_case):
            if part.guard is not None:
                yield from _of_guard(Slot(part, "guard", None), "case if")
                yield from _of_expression(Slot(part, "guard", None), part.guard, is_test=True)
            yield from _of_field(part, "body", part.body)
        elif isinstance(part, ast.comprehension):
            for place, test in enumerate(part.ifs):
                yield from _of_guard(Slot(part, "ifs", place), "for if")
                yield from _of_expression(Slot(part, "ifs", place), test, is_test=True)
            yield from _of_field(part, "iter", part.iter)
        elif isinstance(part, ast.keyword) and part.arg != "strict":  # of zip: it asserts, and decides nothing
            yield from _of_field(part, "value", part.value)
        elif isinstance(part, ast.ExceptHandler):
            yield from _of_field(part, "body", part.body)


def _of_expression(slot: Slot, node: ast.expr, *, is_test: bool) -> Iterator[Site]:
    """
    Args:
        is_test: whether it is the whole of a guard, which is forced both ways already.
    """
    match node:
        case ast.JoinedStr():
            return
        case ast.Compare(ops=ops):
            yield from _of_comparison(slot, node, ops, is_test=is_test)
        case ast.BoolOp(values=values):
            for place, value in enumerate(values):
                rest = [other for other in values if other is not value]
                shorter = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield Site(slot, "guard", f"{_text(node)} without clause {place + 1}", shorter)
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield Site(slot, "guard", f"{_text(node)} with {type(other).__name__.lower()}", ast.BoolOp(other, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            if not is_test:
                yield Site(slot, "guard", f"{_text(node)} without not", operand)
        case ast.IfExp():
            yield from _of_guard(Slot(node, "test", None), "if")
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            other_name = "max" if name == "min" else "min"
            after = ast.Call(ast.Name(other_name, ast.Load()), node.args, node.keywords)
            yield Site(slot, "bound", f"{_text(node)} with {other_name}", after)
    number = _number(node)
    if number is not None:
        for other_number in (number + 1, number - 1):
            text = f"{_text(slot.parent)}: {number} -> {other_number}"
            yield Site(slot, "bound", text, ast.Constant(other_number))
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        flipped = ast.Constant(not node.value)
        yield Site(slot, "flip", f"{_text(slot.parent)}: {node.value} -> {not node.value}", flipped)
    for field, value in ast.iter_fields(node):
        if not (isinstance(node, ast.Lambda) and field == "args"):
            yield from _of_field(node, field, value)


def _of_comparison(slot: Slot, node: ast.Compare, ops: list[ast.cmpop], *, is_test: bool) -> Iterator[Site]:
    for place, op in enumerate(ops):
        changed = SHIFTED.get(type(op)) or (None if is_test and len(ops) == 1 else FLIPPED.get(type(op)))
        if changed is not None:
            after = ast.Compare(node.left, [*ops[:place], changed(), *ops[place + 1 :]], node.comparators)
            yield Site(slot, "compare", f"{_text(node)} -> {_text(after)}", after)
        if type(op) in SHIFTED and len(ops) == 1 and isinstance(node.left, ast.Name | ast.Attribute | ast.BinOp):
            sign = FARTHER[type(op)]()
            after = ast.Compare(node.left, ops, [ast.BinOp(node.comparators[0], sign, ast.Constant(1))])
            yield Site(slot, "compare", f"{_text(node)} -> {_text(after)}", after)


def _of_guard(slot: Slot, word: str) -> Iterator[Site]:
    test = slot.get()
    for forced in (True, False):
        yield Site(slot, "guard", f"{word} {_text(test)} -> {forced}", ast.Constant(forced), forced)


def _is_effect(node: ast.stmt) -> bool:
    """Whether it changes or records something that outlives the statement's own names."""
    match node:
        case ast.Assign(targets=targets):
            parts = [target.elts if isinstance(target, ast.Tuple) else [target] for target in targets]
            return all(isinstance(one, ast.Attribute | ast.Subscript) for some in parts for one in some)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"))))):
            return False  # without it the function would close over its class no more
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            return False  # for the type checker; never reached
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Delete():
            return True
        case _:
            return False


def _effect_lists(value: ast.expr | None) -> Iterator[ast.List]:
    """Lists that a statement gives back or adds."""
    match value:
        case ast.List():
            yield value
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from _effect_lists(one)
            yield from _effect_lists(other)
        case ast.Tuple(elts=parts):
            for part in parts:
                yield from _effect_lists(part)


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case _:
            return None


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX - 3]}..."
