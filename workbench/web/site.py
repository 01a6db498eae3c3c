"""Builds the folder of static files that is the program in a browser tab.

The engine (a Python for browsers, a terminal) comes as pinned packages with digests and is kept; all else is from here.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import platformdirs

from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.shipped import OURS, shipped
from workbench.web.home import home_page

HERE = Path(__file__).parent
PAGE, ENGINE = HERE / "page", HERE / "engine"
MARKER = ".kraft-workbench-site"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARY, PROGRAM = "python_stdlib.zip", "program.tar.xz"
"""The part of Python's library that it begins with; the rest of it, and all of ours."""
TERMINAL = (
    *("xterm/lib/xterm.js", "xterm/css/xterm.css"),
    *("addon-fit/lib/addon-fit.js", "addon-unicode11/lib/addon-unicode11.js"),
)
PURE = (
    *("textual", "rich", "platformdirs", "markdown-it-py", "mdurl", "mdit-py-plugins", "linkify-it-py", "uc-micro-py"),
    *("typing_extensions", "pygments", "google-crc32c"),
)
"""Packages without compiled parts, or that do without, as they are installed beside us."""
ROOMS = ("challenges", "classroom", "course", "runs", "session", "support", "telling", "tui", "web")
"""Of the tool. The others need processes, a network or a command line."""
DATA = ("lessons", "incidents")
WHEELS_FOR = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--implementation", "cp")
SERVICE_WORKER = "service_worker.js"
NO_FILES = "const FILES = {};"
"""What stands there before the list of files."""
LEFT_OUT = ("docs/",)
"""A tab does not need the documentation."""


def build_site(folder: Path, kept: Path | None = None, docs: Path | None = None) -> None:
    """Make the folder, or make it anew. Refusal, in one sentence, when it cannot be.

    Args:
        kept: where the engine is kept for the next time.
        docs: a folder with the built documentation, which goes along.
    """
    if folder.exists() and not (folder / MARKER).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refusal(USAGE, f"{safe_text(str(folder), 200)} is not empty and no site of ours; name another folder")
    if docs is not None and not (docs / "index.html").is_file():
        raise Refusal(USAGE, f"{safe_text(str(docs), 200)} has no index.html: make docs builds it")
    kept = kept or kept_folder()
    engine = packages(ENGINE, kept)
    program = _program(kept, engine)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".site-", dir=folder.parent))
    shutil.copytree(PAGE, fresh, dirs_exist_ok=True)
    (fresh / "index.html").write_text(home_page(has_docs=docs is not None), "utf-8")
    if docs is not None:
        shutil.copytree(docs, fresh / "docs")
    for name in ("engine", "terminal"):
        (fresh / name).mkdir()
    for name in PYODIDE:
        shutil.copy(engine / "node_modules" / "pyodide" / name, fresh / "engine" / name)
    for name in TERMINAL:
        shutil.copy(engine / "node_modules" / "@xterm" / name, fresh / "terminal")
    shutil.copy(program / LIBRARY, fresh / "engine")
    shutil.copy(program / PROGRAM, fresh)
    list_files(fresh)
    (fresh / MARKER).touch()
    fresh.chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def kept_folder() -> Path:
    """In a clone below its build, else in the user's cache."""
    clone = OURS.parent
    return clone / "build" / "tab" if (clone / "pyproject.toml").exists() else _cache()


def _cache() -> Path:
    return platformdirs.user_cache_path("kraft-workbench") / "tab"


def packages(listed: Path, kept: Path) -> Path:
    """A folder with the packages of node that a folder lists, brought once for each list. Refusal when they cannot be.

    Their digests are in the list, and npm looks at them.
    """
    names = ("package.json", "package-lock.json")
    folder = kept / f"{listed.name}-{_digest([listed / name for name in names])}"
    if (folder / "whole").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in names:
        shutil.copy(listed / name, folder)
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    _run(["npm", "ci", *options], f"the {listed.name} of a tab could not be brought", cwd=folder)
    (folder / "whole").touch()
    return folder


def _wheels(kept: Path) -> list[Path]:
    folder = kept / f"wheels-{_digest([ENGINE / 'wheels.txt'])}"
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--require-hashes", "--only-binary=:all:", *WHEELS_FOR, "--dest", str(folder)]
        _run([*command, "-r", str(ENGINE / "wheels.txt")], "the Python packages of a tab could not be brought")
        (folder / "whole").touch()
    return sorted(folder.glob("*.whl"))


def _program(kept: Path, engine: Path) -> Path:
    """A folder: all that the tab's Python loads, compiled for it, in two archives. Made once for each content."""
    wheels = _wheels(kept)
    parts = dict(_parts())
    sources = [*wheels, *parts.values(), engine / "package-lock.json", ENGINE / "compile.mjs", Path(__file__)]
    made = kept / f"program-{_digest(sources)}"
    if made.exists():
        return made
    with tempfile.TemporaryDirectory(prefix=".program-", dir=kept) as name:
        tree, library, fresh = (Path(name, part) for part in ("tree", "library", "fresh"))
        for wheel in wheels:
            _unzip(wheel, tree)
        _unzip(engine / "node_modules" / "pyodide" / LIBRARY, library)
        for inside, path in parts.items():
            target = tree / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        command = ["node", str(ENGINE / "compile.mjs"), str(engine), str(tree), str(library)]
        _run(command, "the program could not be compiled for a tab")
        fresh.mkdir()
        _pack(tree, library, fresh)
        for old in kept.glob("program-*"):  # not what somebody else makes at the same time
            shutil.rmtree(old, ignore_errors=True)
        fresh.rename(made)
    return made


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)


def _pack(tree: Path, library: Path, fresh: Path) -> None:
    """What Python begins with is an archive that it reads by itself; all else is folded as one, alike beside alike.

    Sources stay at home, but those of the sealed bugs: their seals are of them.
    """
    begins = (library / "begins").read_text("utf-8").split()
    whole = io.BytesIO()
    with zipfile.ZipFile(fresh / LIBRARY, "w") as small, tarfile.open(fileobj=whole, mode="w") as large:
        for path in sorted(library.rglob("*.pyc")):
            inside = path.relative_to(library)
            if Path(inside.parts[0]).stem in begins:
                small.writestr(zipfile.ZipInfo(str(inside)), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
            else:
                _add(large, inside, path)
        for path in sorted(tree.rglob("*"), key=lambda path: (path.suffix, path)):
            if path.is_file() and (path.suffix != ".py" or path.parent.name == "bugs"):
                _add(large, path.relative_to(tree), path)
    (fresh / PROGRAM).write_bytes(lzma.compress(whole.getvalue()))


def _add(archive: tarfile.TarFile, inside: Path, path: Path) -> None:
    member = tarfile.TarInfo(str(inside))
    member.size = path.stat().st_size
    with path.open("rb") as content:
        archive.addfile(member, content)


def _parts() -> Iterator[tuple[str, Path]]:
    """Name in the archive, and where it is here."""
    for name in ("cluster", *(f"workbench/{room}" for room in ROOMS)):
        yield from _files(OURS.parent / name, name)
    yield "workbench/__init__.py", OURS / "__init__.py"
    for name in DATA:
        yield from _files(shipped(name), name)
    for name in PURE:
        try:
            files = distribution(name).files or []
        except PackageNotFoundError:
            continue
        for file in files:
            if file.suffix in (".py", ".tcss", ".typed") and file.parts[0] != ".." and file.name != "cext.py":
                yield str(file), Path(str(file.locate()))


def _files(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{name}/{path.relative_to(folder)}", path


def _digest(paths: list[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def _run(command: list[str], cannot: str, cwd: Path | None = None) -> None:
    """Refusal with the last thing that it said."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Refusal(
            ENVIRONMENT, f"{cannot}: this needs {command[0]}, which is not installed (Node.js 18+)"
        ) from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise Refusal(ENVIRONMENT, f"{cannot}: {safe_text(lines[-1], 300)}")


def list_files(site: Path) -> None:
    """Write the list into the site's service worker: once, when all other files are there."""
    worker = site / SERVICE_WORKER
    names = (path.relative_to(site).as_posix() for path in sorted(site.rglob("*")) if path.is_file())
    kept = [name for name in names if name != SERVICE_WORKER and not name.startswith((*LEFT_OUT, "."))]
    digests = {name: hashlib.sha256((site / name).read_bytes()).hexdigest() for name in kept}
    source = worker.read_text("utf-8")
    assert NO_FILES in source, "a list is written once"
    worker.write_text(source.replace(NO_FILES, f"const FILES = {json.dumps(digests, indent=1)};"), "utf-8")
