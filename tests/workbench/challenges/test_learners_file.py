from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges.learners_file import read_text
from workbench.support.refusal import Refusal


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="cannot read '.*none.txt'"):
        read_text(tmp_path / "none.txt")
    path = tmp_path / "bytes.txt"
    path.write_bytes(b"kill 1\n\xff\xfe")
    with pytest.raises(Refusal, match="not UTF-8 at byte 7"):
        read_text(path)
