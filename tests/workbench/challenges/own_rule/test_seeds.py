from __future__ import annotations

import json
import os

from workbench.challenges.own_rule.kinds import KINDS, example
from workbench.challenges.own_rule.seeds import play


def told(source: str, seeds: list[int]) -> list[dict[str, object]]:
    """What a process of its own says that plays these seeds: its guard cannot be taken off again."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        play(writer, KINDS["acknowledge"], source, seeds)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as stream:
        return [json.loads(line) for line in stream]


def test_a_seed_that_breaks_it_ends_the_play_with_a_script() -> None:
    *begun, last = told(example(KINDS["acknowledge"]).replace("records_end <= high_watermark", "True"), [1, 2, 3])
    assert begun[0] == {"seed": 1} and last["verdict"] == "broken" and "produce orders" in str(last["script"])
