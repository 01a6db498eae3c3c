"""The frame of a lesson: what stands where it must not is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import mistake


@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("## Watch\n", "Early.\n\n## Watch\n", "Early", "text before the first heading"),
        ("## Watch\n", "```figure\nx\n```\n## Watch\n", "```figure", "a block before the first heading"),
        ("## Last page", "## The end", "```", "'## Last page' must be there once"),
        ("## Watch", "## Last page", "## Last page", "must be there once, as the last heading"),
        ("## Watch", "## ", "## ", "a heading without words"),
        ("```reveal else", "```revael else", "```revael", "block 'revael' is unknown; did you mean reveal?"),
        ("```reveal else", "```python", "```python", "block 'python' is unknown; allowed: predict"),
        ("It was.\n```", "It was.", "```document", "block 'document' is not closed"),
        ("Leadership moves.\n```\n", "Leadership moves.\n", "```document", "block 'document' is not closed"),
        ("```predict who", "```notes\ntime: 1\n```\n\n```predict who", "```predict", "below the notes"),
        ("```do kill\n```", "```do kill\n```\n\n```do kill\n```", "```do", "block 'do' is there twice"),
        ("```predict who", "```predict first\n```\n\n```predict who", "```predict who", "a step has one question"),
        ("```do begin now", "```reveal\nNo.\n```\n\n```do begin now", "```reveal", "'reveal' is out of order"),
        ("```reveal if", "Some prose.\n\n```reveal if", "Some prose", "prose after the do block"),
        ("```do kill", "Some prose.\n\n```do kill", "Some prose", "prose between the question and the do"),
        (
            "```do begin now",
            "```do begin now\n```\n\n```predict late\n```\n\n```notes",
            "```predict late",
            "a question stands before the do",
        ),
        ("```do other\n```\n\n", "", "```transfer", "a transfer block needs a do in its step"),
        ("```notes\ntime: 1\n```\n\n", "", "## Your turn", "has no notes"),
        ("```notes\ntime: 1", "```keep\ntime: 1", "```keep", "stands below '## Last page' only"),
        ("```keep", "Words.\n\n```keep", "Words", "prose is out of place on the last page"),
        ("```keep", "```document S0.16 wrong\n```\n```keep", "```document", "out of place on the last page"),
    ],
)
def test_what_stands_in_the_wrong_place_is_told(tmp_path: Path, old: str, new: str, at: str, told: str) -> None:
    line, said = mistake(tmp_path, (old, new))
    assert at in line
    assert told in said
