"""What is not yet as it should be, file by file, and the list of what is allowed to stay so: it only shrinks.

After files moved, or were mended: python -m tests.architecture.allowances
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("allowances.json")
BANNED = frozenset({"told", "found", "wanted", "spoil", "Books", "Desk", "Party", "books", "desk", "party"})
"""Say nothing alone, as the name of a function, a class, a parameter or a module."""
FACT = re.compile(r"\d|\b(bytes?|ms|us|ns|seconds|milliseconds|inclusive|exclusive|empty|none|kip)\b", re.IGNORECASE)
"""A unit, a bound, a value that stands for nothing, or a source."""
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
WEIGHTLESS = frozenset(
    getattr(tokenize, name) for name in ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENCODING", "ENDMARKER")
)


def product() -> Iterator[tuple[str, ast.Module]]:
    """Each source file of the product and its tree."""
    for room in ("cluster", "workbench", "judges"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


def without_tests() -> dict[str, int]:
    """Files with a function or method in them that have no test file of the same path."""
    missing = {}
    for name, tree in product():
        path = Path(name)
        if path.stem.startswith("__") or not any(isinstance(node, FUNCTION) for node in ast.walk(tree)):
            continue
        if not (ROOT / "tests" / path.parent / f"test_{path.stem}.py").exists():
            missing[name] = 1
    return missing


def banned_names() -> dict[str, int]:
    """How often each file gives a banned name, by `file: name`."""
    counted: Counter[str] = Counter()
    for name, tree in product():
        given = [Path(name).stem]
        for node in ast.walk(tree):
            if isinstance(node, FUNCTION | ast.ClassDef):
                given.append(node.name)
            elif isinstance(node, ast.arg):
                given.append(node.arg)
        counted.update(f"{name}: {each}" for each in given if each in BANNED)
    return dict(counted)


def empty_field_sentences() -> dict[str, int]:
    """How many fields of each file have a sentence of one or two words without a fact."""
    counted: Counter[str] = Counter()
    for name, tree in product():
        for kind in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            for field, text in zip(kind.body, kind.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    said = text.value.value if isinstance(text.value, ast.Constant) else None
                    if isinstance(said, str) and len(said.split()) <= 2 and not FACT.search(said):
                        counted[name] += 1
    return dict(counted)


def private_reaches() -> dict[str, int]:
    """How often each file of the tests takes a private member of something that is not itself."""
    counted: Counter[str] = Counter()
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and re.match(r"_(?!_)", node.attr) and not _is_own(node.value):
                counted[path.relative_to(ROOT).as_posix()] += 1
    return dict(counted)


def _is_own(owner: ast.expr) -> bool:
    if isinstance(owner, ast.Call):
        return isinstance(owner.func, ast.Name) and owner.func.id == "super"
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls", "os")


def weight() -> dict[str, int]:
    """Tokens of code of each room, in hundreds, rounded up: no comment, docstring or blank line weighs anything.

    A change that makes a room lighter lowers its number. One that makes it heavier says what it brings to a learner.
    """
    counted: Counter[str] = Counter()
    for room in ("cluster", "workbench", "judges", "tests"):
        for path in sorted((ROOT / room).rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            own = "/".join(inside[:2]) if room in ("cluster", "workbench") and len(inside) > 2 else room
            counted[own] += tokens_of(path.read_text())
    return {room: -(-tokens // 100) for room, tokens in counted.items()}


def tokens_of(source: str) -> int:
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return sum(token.type not in WEIGHTLESS and token.start[0] not in docstrings for token in tokens)


MEASURED = {
    "weight": weight,
    "without_tests": without_tests,
    "banned_names": banned_names,
    "empty_field_sentences": empty_field_sentences,
    "private_reaches": private_reaches,
}


def differences(what: str) -> list[str]:
    """Where this is more, or less, than is allowed."""
    allowed, now = json.loads(FILE.read_text())[what], MEASURED[what]()
    return [
        f"{name}: {now.get(name, 0)}, allowed {allowed.get(name, 0)}"
        for name in sorted({*allowed, *now})
        if now.get(name, 0) != allowed.get(name, 0)
    ]


def main() -> None:
    """Allow what there is now. Read the difference before you commit it: no number should have grown."""
    FILE.write_text(
        json.dumps({what: measure() for what, measure in MEASURED.items()}, indent=1, sort_keys=True) + "\n"
    )


if __name__ == "__main__":
    main()
