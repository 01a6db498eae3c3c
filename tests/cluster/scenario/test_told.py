"""Scripts that ask for events and verdicts, and act on events, played in a small simulation."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.scenario.parse import parse_script
from cluster.scenario.script import Do, ScriptError, When
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

CLUSTER = "cluster controllers=3 brokers=1\n"


def played(tmp_path: Path, text: str, *, seed: int | None = 5, rewrites: bool = False) -> int:
    script = tmp_path / "script.txt"
    if not script.exists():
        script.write_text(CLUSTER + text)
    world = WorldChoice(simulated=True, seed=seed)
    return run_script(script, as_json=False, home=tmp_path, world=world, rewrites=rewrites)


def test_an_event_must_come_after_the_newest_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "topic orders replicas=1\nexpect event ctl.topic_created topic=orders\nstatus\n"
    assert played(tmp_path, text + "expect event ctl.topic_created within 1s\n") == 1
    out = capsys.readouterr().out
    assert "0 such events since the last command" in out
    assert "1 expectation held, the script failed" in out


def test_events_are_counted_since_the_cluster_began(tmp_path: Path) -> None:
    text = (
        "topic orders replicas=1\nstatus\nexpect events ctl.topic_created = 1\nremember n = events ctl.topic_created\n"
    )
    assert played(tmp_path, text + "expect events ctl.topic_created = n\nkeep no event rep.truncated for 1s\n") == 0


@pytest.mark.parametrize(("verdict", "code"), [("holds", 0), ("expected", 1), ("not-evaluated", 1)])
def test_a_verdict_is_that_of_the_checker(tmp_path: Path, verdict: str, code: int) -> None:
    text = f"topic orders replicas=1\nproduce orders 3\nexpect verdict P1,P17 {verdict}\n"
    assert played(tmp_path, text) == code


def test_a_command_that_waits_for_an_event_is_sent_when_it_comes(tmp_path: Path) -> None:
    text = "when raft.leader_elected then isolate controller\nexpect events raft.leader_elected >= 2 within 20s\n"
    assert played(tmp_path, text + "expect events fault.injected kind=Isolate = 1\n") == 0


def test_a_refusal_is_an_outcome_for_try_alone(tmp_path: Path) -> None:
    text = "topic orders replicas=1\nremember lead = leader orders-0\ntry elect orders-0\n"
    assert played(tmp_path, text + "expect event op.failed error=ELECTION_NOT_NEEDED\n") == 0
    (tmp_path / "script.txt").write_text(CLUSTER + text.replace("try ", ""))
    assert played(tmp_path, "") == 1


def test_output_that_was_taken_over_must_come_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert played(tmp_path, "topic orders replicas=1\nproduce orders 3\n", rewrites=True) == 0
    script = tmp_path / "script.txt"
    assert "[output seed=5]" in script.read_text()
    assert played(tmp_path, "", seed=None) == 0, "its seed is the default"
    assert played(tmp_path, "", seed=6) == 0, "another seed only has to end as well"
    script.write_text(script.read_text().replace("3 of 3 records", "2 of 3 records"))
    assert played(tmp_path, "", seed=None) == 1
    assert "--rewrite takes it over" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("when raft.leader_elected kill 1", "the form is: when EVENT"),
        ("when raft.elected then kill 1", "no event is called"),
        ("when raft.leader_elected on 109 then kill 1", "no node 109"),
        ("when raft.leader_elected then kill 9", "no node 9"),
        ("try kill", "something is missing"),
        ("try expect idle", "unknown"),
        ("expect event raft.leader_elected on 109", "no node 109"),
        ("expect verdict P1", "the form is: verdict"),
        ("expect verdict X9 holds", "no rule is called 'X9'"),
        ("expect verdict P1 holds within 2s", "judged at once"),
        ("keep verdict P1 holds for 2s", "judged once"),
        ("expect no event rep.truncated", "keep no event"),
        ("expect verdict P1 fine", "the form is: verdict"),
    ],
)
def test_each_mistake_gets_one_clear_message(line: str, message: str) -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(CLUSTER + line)
    assert message in str(caught.value)
    assert caught.value.line == 2


def test_when_and_try_are_steps_of_their_own() -> None:
    script = parse_script(CLUSTER + "when raft.leader_elected on 101 then kill 101\ntry kill 1\nkill 1\n")
    when, tried, done = script.sections[0].steps
    assert isinstance(when, When)
    assert (when.command, when.pattern.node) == ("kill 101", "101")
    assert isinstance(tried, Do)
    assert isinstance(done, Do)
    assert (tried.text, tried.may_fail, done.may_fail) == ("kill 1", True, False)
