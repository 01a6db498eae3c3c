"""Whatever a learner's file does, a verdict comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges.own_rule.guard import IMPORTS
from workbench.challenges.own_rule.kinds import KINDS
from workbench.challenges.own_rule.refute import read_rule, refute
from workbench.support.refusal import Refusal

KIND = KINDS["acknowledge"]
HEAD = f"def acknowledge({', '.join(KIND.parameters)}):\n"


@pytest.mark.parametrize(
    ("body", "word", "what"),
    [
        ("raise ValueError('so')", "raises", "ValueError: so (line 2)"),
        ("raise SystemExit(3)", "raises", "SystemExit: 3 (line 2)"),
        ("return acknowledge(**locals())", "raises", "RecursionError"),
        ("return [0] * 10**10", "raises", "MemoryError"),
        ("return 1", "wrong type", "it returned 1; needed: True or False"),
        ("pass", "wrong type", "it returned None; needed: True or False"),
        ("open('/etc/passwd')", "forbidden", "open ('/etc/passwd'"),
        ("return __import__('os').fork() > 0", "forbidden", "os.fork"),
        ("__import__('subprocess').run('true')", "forbidden", "subprocess"),
        ("__import__('socket').socket()", "forbidden", "socket."),
        ("print('x' * 10**8)", "prints", "more than 1000000 characters"),
        ("while True: pass", "loops", "did not answer within 0.2 s of computing"),
        ("return sum(range(10**12)) > 0", "loops", "let nobody else run"),
    ],
)
def test_what_a_rule_does_instead_of_answering_is_a_verdict(body: str, word: str, what: str) -> None:
    verdict = refute(KIND, f"{HEAD}    {body}\n", [1], 1)
    assert verdict.word == word and what in verdict.what


@pytest.mark.parametrize("name", sorted(IMPORTS))
def test_what_a_rule_may_import_it_can(name: str) -> None:
    source = f"from {name} import *\n" if name != "__future__" else "from __future__ import annotations\n"
    assert refute(KIND, f"{source}{HEAD}    return records_end <= high_watermark\n", [1], 1).word == "held"


def test_a_loop_that_swallows_everything_ends_too() -> None:
    body = "    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n"
    assert refute(KIND, HEAD + body, [1], 1).word == "loops"


def test_what_is_printed_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    verdict = refute(KIND, f"{HEAD}    print('\\x1b[2J')\n    return records_end <= high_watermark\n", [1], 1)
    assert (verdict.word, verdict.seeds) == ("held", 1) and "".join(capfd.readouterr()) == ""


def test_a_wrong_rule_is_refuted_by_a_seed_and_a_script() -> None:
    verdict = refute(KIND, f"{HEAD}    return True\n", [1, 2], 2)
    assert verdict.word == "broken" and verdict.what.startswith("P18 ") and verdict.seed in (1, 2)
    assert verdict.script.startswith("# P18") and "produce orders" in verdict.script


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:\n", "line 1: no Python"),
        ("x = 1\n", "needed is one function called grant_vote"),
        ("def cut(log_end):\n    return 0\n", r"line 1: the form is: def cut\(own_epochs, log_end"),
        ("import os\n" + HEAD + "    return True\n", "line 1: imports os; a rule may import"),
        (HEAD + "    return ().__class__\n", "line 2: reaches for __class__"),
        (HEAD + "    return __import__('os')\n", "line 2: reaches for __import__"),
        (HEAD + "    pass\n" + HEAD.replace("acknowledge", "cut"), "no Python"),
    ],
)
def test_a_file_that_holds_no_rule_is_named_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text, "utf-8")
    with pytest.raises(Refusal, match=said):
        read_rule(path)


def test_the_order_of_the_parameters_is_free_and_some_imports_are(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import math\ndef cut(log_end, leader_epoch_end, own_epochs, leader_epoch):\n    return 0\n")
    assert read_rule(path)[0] is KINDS["cut"]
