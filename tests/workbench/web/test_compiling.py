"""What a tab's Python is given: all that can be imported, at once or later, and nothing that is for types only."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from workbench.web.compiling import compile_reached, modules_of

FILES = {
    "cluster/__init__.py": "",
    "cluster/begin.py": 'from . import near\nfrom cluster.far import thing\n\n\ndef later():\n    """Says so."""\n'
    "    import textual.widgets\n    from textual.widgets import InputBox\n    import pdb\n",
    "cluster/near.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cluster.only_types\n"
    "else:\n    import cluster.other\n",
    "cluster/far/__init__.py": "from .thing import *\n",
    "cluster/far/thing.py": "",
    "cluster/only_types.py": "",
    "cluster/other.py": "",
    "cluster/nobody.py": "",
    "pdb.py": "",
    "textual/__init__.py": '"""Of others."""\nassert not __doc__\n',
    "textual/widgets/__init__.py": "",
    "textual/widgets/_input_box.py": "",
    "textual/widgets/_button.py": "",
}


def compiled(folder: Path) -> set[str]:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    compile_reached([folder], ["cluster.begin"])
    return {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.pyc")}


def test_what_is_imported_at_once_or_later_is_compiled_and_nothing_else(tmp_path: Path) -> None:
    left_out = {"cluster/only_types", "cluster/nobody", "pdb", "textual/widgets/_button"}
    assert compiled(tmp_path) == {name.removesuffix(".py") for name in FILES} - left_out


def test_ours_keeps_its_sentences_and_what_is_foreign_does_not(tmp_path: Path) -> None:
    compiled(tmp_path)
    assert b"Says so." in (tmp_path / "cluster" / "begin.pyc").read_bytes()
    foreign = runpy.run_path(str(tmp_path / "textual" / "__init__.pyc"))
    assert foreign["__doc__"] is None
    assert sys.flags.optimize == 0


def test_all_modules_of_a_package_have_their_names(tmp_path: Path) -> None:
    compiled(tmp_path)
    assert set(modules_of(tmp_path, "textual/widgets")) == {
        "textual.widgets", "textual.widgets._button", "textual.widgets._input_box",
    }  # fmt: skip
