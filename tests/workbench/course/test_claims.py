"""The claims of the documents, and which lesson teaches which."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import mistake, steps_lesson
from workbench.course.claims import Claim, claims_beside, read_claims, taught
from workbench.course.library import LESSONS

SMALL = """[S0]
title = "First"
16 = ["wrong", "Nothing moves.", 4]
[S2]
title = "Second"
9 = ["wording or ok", "It is so.", 12]
22 = ["ok", "It is.", 6]
"""


def with_claims(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "claims.toml").write_text(SMALL)
    return folder


def test_the_file_of_the_course_has_every_claim_once_with_its_lesson() -> None:
    claims = claims_beside(LESSONS)
    counts = Counter(name.partition(".")[0] for name in claims.by_name)
    assert counts == {"S0": 45, "S1": 33, "S2": 30, "S3": 23, "S4": 12}
    assert list(claims.titles) == sorted(counts)
    for document, count in counts.items():
        assert [f"{document}.{number}" in claims.by_name for number in range(1, count + 1)] == [True] * count
    assert {claim.lesson for claim in claims.by_name.values()} == {f"{number:02d}" for number in range(1, 21)}
    assert [claim.name for claim in claims.by_name.values() if not claim.sentence.endswith(".")] == []


def test_a_claim_is_read(tmp_path: Path) -> None:
    found = claims_beside(with_claims(tmp_path))
    assert found.titles == {"S0": "First", "S2": "Second"}
    assert found.by_name["S2.9"] == Claim("S2.9", ("wording", "ok"), "It is so.", "12")
    assert claims_beside(tmp_path / "nowhere").by_name == {}


@pytest.mark.parametrize("line", ['1 = ["right", "x", 1]', '1 = ["ok", "x"]', '100 = ["ok", "x", 1]', "1 = 2"])
def test_a_line_of_another_form_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(f'[S0]\ntitle = "x"\n{line}\n')
    with pytest.raises(ValueError, match="the form is: NUMBER = "):
        read_claims(path)


def test_it_is_known_which_lesson_teaches_what(tmp_path: Path) -> None:
    assert taught([steps_lesson(with_claims(tmp_path))]) == {
        "S2.22": ("01_small",),
        "S2.9": ("01_small",),
        "S0.16": ("01_small",),
    }


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("document S2.22 S2.9 ok", "document S2.22 wrong", "the verdict on S2.22 is ok, not wrong: It is."),
        ("document S2.22 S2.9 ok", "document S2.22 S2.9 wording", "the verdict on S2.22 is ok, not wording"),
        (
            "document S2.22",
            "document S2.23",
            "there is no claim S2.23; the last of S2 is S2.22, all are in",
        ),
        ("document S0.16", "document S0.17", "there is no claim S0.17; the last of S0 is S0.16"),
        ("document S0.16", "document S4.1", "there is no claim S4.1; all are in claims.toml"),
    ],
)
def test_a_document_is_held_against_the_claims(tmp_path: Path, old: str, new: str, says: str) -> None:
    line, said = mistake(with_claims(tmp_path), (old, new))
    assert line.startswith("```document")
    assert says in said
