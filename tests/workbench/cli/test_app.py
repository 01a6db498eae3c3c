"""The commands as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from cluster.runtime.system_limits import NEEDED
from cluster.trace.entry import encode_entry
from tests.support.traces import story
from workbench.cli.app import main


def workbench(
    *arguments: str, home: Path | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", *arguments]
    environment = os.environ | ({"WORKBENCH_HOME": str(home)} if home else {}) | (environment or {})
    return subprocess.run(
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=environment
    )


def recorded_run(folder: Path) -> Path:
    (folder / "trace").mkdir(parents=True)
    files: dict[int, bytes] = {}
    for entry in story.full_story():
        files[entry.node] = files.get(entry.node, b"") + encode_entry(entry)
    for node, content in files.items():
        (folder / "trace" / f"{node}-0.trace").write_bytes(content)
    return folder


def test_export_prints_every_event_as_one_json_object(tmp_path: Path) -> None:
    done = workbench("export", str(recorded_run(tmp_path / "run")))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert len(lines) == len(story.full_story())
    assert [line["t_ns"] for line in lines] == sorted(line["t_ns"] for line in lines)


def test_a_folder_that_is_no_run_gets_one_message_and_exit_4(tmp_path: Path) -> None:
    done = workbench("export", str(tmp_path / "no\x1bthing"))
    assert done.returncode == 4
    assert "holds no recorded run" in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr


def test_garbage_in_a_trace_gets_one_message_and_exit_4(tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "run")
    (run / "trace" / "77-0.trace").write_bytes(b"\x00\x00\x00\x05abcde")
    done = workbench("export", str(run))
    assert done.returncode == 4
    assert "77-0.trace" in done.stderr
    assert "Traceback" not in done.stderr


def test_replay_without_a_terminal_says_so(tmp_path: Path) -> None:
    done = workbench("replay", str(recorded_run(tmp_path / "run")))
    assert done.returncode == 3
    assert "terminal" in done.stderr


def test_a_replay_in_plain_lines_needs_no_terminal(tmp_path: Path) -> None:
    done = workbench("replay", "--plain", str(recorded_run(tmp_path / "run")))
    assert (done.returncode, done.stderr) == (0, "")
    assert "n1 leads the quorum in e1, with 3 of 5 votes." in done.stdout and "promises kept" in done.stdout
    assert done.stdout.isascii()


BAD = [
    (("lunch",), 2, "unknown command 'lunch', did you mean"),
    (("lub",), 2, "did you mean 'lab'?"),
    (("status",), 2, "did you mean 'ps'?"),
    (("nosuch",), 2, "unknown command 'nosuch', see workbench --help"),
    (("run", ""), 2, "run: empty path"),
    (("lab", "--brokrs", "3"), 2, "workbench: lab: no such option: --brokrs, did you mean --brokers or --racks?\n"),
    (("lab", "--brokers", "0"), 2, "needs 1 to 9, not 0"),
    (("lab", "--brokers", "-1"), 2, "needs 1 to 9, not -1"),
    (("lab", "--brokers", "1000"), 2, "needs 1 to 9, not 1000; each node is a process"),
    (("lab", "--brokers", "three"), 2, "not a whole number: 'three'"),
    (("lab", "--brokers", "3.5"), 2, "not a whole number: '3.5'"),
    (("lab", "--brokers", ""), 2, "not a whole number: ''"),
    (("up", "--replication-factor", "5"), 2, "more replicas than brokers"),
    (("up", "--min-isr", "4", "--replication-factor", "3"), 2, "no acks=all write could ever succeed"),
    (("up", "--base-port", "80"), 3, "ports below 1024 need root, choose 19092"),
    (("up", "--base-port", "70000"), 2, "would pass 65535"),
    (("up", "--base-port", "65532"), 2, "would pass 65535"),
    (("up", "--slow", "nan"), 2, "needs a number from 0.1 to 1000"),
    (("up", "--brokers", "3", "--brokers=4"), 2, "--brokers is given twice"),
    (("up", "--brokers", "3\x1b[31m"), 2, "not a whole number"),
    (("inject",), 2, "workbench: inject: missing argument 'run'; see workbench inject --help\n"),
    (("up", "--timing", "lunar"), 2, "choose classroom or kafka"),
    (("up", "--data-dir", ""), 2, "empty path"),
    (("up", "--data-dir", "/etc/passwd"), 3, "exists and is a file"),
    (("up", "--data-dir", "/no/such/parent/here"), 3, "parent folder is missing"),
    (("up", "--data-dir", "/" + "d" * 1000), 3, "longer than"),
    (("up", "--duration", "0"), 2, "not a duration: '0'"),
    (("up", "--duration", "-5s"), 2, "not a duration: '-5s'"),
    (("up", "--duration", "10 parsecs"), 2, "write 500ms, 90s, 10m or 2h"),
    (("learn", "1", "--seed", "7"), 2, "--seed is for --simulated"),
    (("learn", "--simulated"), 2, "--simulated: name a lesson; there are 01_"),
    (("lab", "--simulated", "--seed", "-1"), 2, "needs 0 to"),
    (("lab", "--simulated", "--seed", "9" * 30), 2, "needs 0 to 18446744073709551615, not 999"),
    (("lab", "--simulated", "--seed", str((1 << 64) - 1)), 3, "needs a terminal"),
    (("attach",), 4, "attach: no run is up"),
    (("resume", "nosuch", "--stay"), 4, "no such run"),
    (("delete", "nosuch", "--yes"), 4, "no such run"),
    (("lab", "--simulated", "--seed", "7"), 3, "needs a terminal"),
    (("play",), 2, "name a lesson, or --all"),
    (("play", "../../etc/passwd"), 4, "passwd/lesson.md:1: cannot be read: No"),
    (("play", "/etc/passwd"), 4, "passwd/lesson.md:1: cannot be read: Not a directory"),
    (("play", "..%2f"), 4, "not a lesson name"),
    (("play", "nosuchlesson"), 4, "is no lesson"),
    (("run", "/no/such/file"), 3, "cannot read"),
    (("inject", "nosuch", "kill 2"), 4, "no such run"),
    (("down", "nosuch"), 4, "no such run"),
    (("down",), 4, "no run is up"),
    (("attach", "a/../b"), 4, "holds no recorded run"),
    (("down", "x" * 5000), 4, "not the name of a run"),
    (("reap", "no\x1b[31m"), 4, "no such run"),
    (("lab",), 3, "needs a terminal"),
    (("lab", "--plain", "--plain"), 2, "--plain is given twice"),
    (("lab", "--plain", "--theme", "pink\x1b"), 2, "WORKBENCH_THEME or --theme: no theme 'pink\u241b'; choose dark"),
    (("config", "shwo"), 2, "config: no 'shwo'; choose path or show"),
]


def test_the_list_of_commands_tells_each_in_one_whole_sentence() -> None:
    listed = workbench("--help").stdout.partition("Commands:")[2].splitlines()
    sentences = [line.strip() for line in listed if line.strip()]
    assert len(sentences) > 15 and all(line.endswith(".") and not line.endswith("...") for line in sentences)


@pytest.mark.parametrize(
    ("world", "told"),
    [("processes", "workbench resume {run} goes on with it"), ("simulated", "workbench replay {run} shows it")],
)
def test_a_run_that_is_over_is_told_with_what_can_be_done_with_it(tmp_path: Path, world: str, told: str) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="A title", controllers=1, brokers=1))
    os.close(lock)
    update_facts(folder, world=world, state="ended")
    done = workbench("inject", folder.name, "status", home=tmp_path)
    then = told.format(run=folder.name)
    assert (done.returncode, done.stderr) == (4, f"workbench: {folder.name} is not up: it has ended; {then}\n")


def test_nothing_found_in_a_place_that_was_named_tells_the_place(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    assert workbench("ps", "--data-dir", str(tmp_path / "here")).stdout == f"no run is up in {tmp_path}/here\n"
    slip = workbench("runs", "--data-dir", str(tmp_path / "hree")).stdout
    assert slip == f"no run is recorded yet in {tmp_path}/hree: there is no such folder\n"


WRONG_WORDS = [
    (("lab", "--brokers"), "workbench: lab: option '--brokers' requires an argument; see workbench lab --help\n"),
    (("lab", "a\u202eb"), "lab: got unexpected extra argument(s) (a<U+202E>b); see workbench lab --help\n"),
    (("lab", "--br\u202eo"), "no such option: --br<U+202E>o"),
    (("--lunch\x1b[2J",), "no such option: --lunch\\x1b[2J; see workbench --help\n"),
    (("lab", "--brokers", "9" * 47), "needs 1 to 9, not 999"),
    (("lab", "--brokers", "9" * 5000), "needs 1 to 9, not 999"),
    (("up", "--duration", "1ms"), "--duration: needs 100ms to 8760h, not 1ms"),
    (("up", "--duration", "999999999h"), "needs 100ms to 8760h"),
    (("swarm", "--trouble", "61m"), "--trouble: needs 100ms to 60m, not 61m"),
    (("down", ""), "down: run: empty name"),
    (("attach", ""), "attach: run: empty name"),
    (("export", "r1", "--at", "inf"), "--at: needs seconds from the run's beginning, such as 12.5, not 'inf'"),
    (("export", "r1", "--at", "-5"), "not '-5'"),
    (("export", "r1", "--svg", ""), "--svg: empty path"),
    (("analyse", "--class", ""), "--class: empty path"),
    (("play", "--all", "1"), "name lessons, or say --all for every one; not both"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_WORDS, ids=[" ".join(row[0])[:40] for row in WRONG_WORDS])
def test_wrong_words_are_told_in_one_line_that_a_terminal_may_see(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "argv", ["workbench", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    told = capsys.readouterr()
    assert (left.value.code, told.out) == (2, "")
    assert message in told.err and told.err.startswith("workbench: ")
    assert told.err.count("\n") == 1 and "\u202e" not in told.err and "\x1b" not in told.err


@pytest.mark.first(arguments=[row[0] for row in BAD[::9]])
@pytest.mark.parametrize(("arguments", "code", "message"), BAD, ids=[" ".join(row[0])[:40] for row in BAD])
def test_bad_input_gets_one_message_the_right_code_and_leaves_nothing(
    tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    done = workbench(*arguments, home=tmp_path / "home")
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    assert [line for line in done.stderr.splitlines() if "warning" not in line] == done.stderr.splitlines()[-1:]
    assert done.stdout == ""
    assert not (tmp_path / "home" / "runs").exists()


def test_a_script_may_come_through_a_pipe(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", "run", "/dev/stdin", "--simulated", "--data-dir", str(tmp_path)]
    script = "cluster controllers=1 brokers=0\nexpect quorum epoch = 1 within 60s\n"
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 expectation held"), done.stderr


def test_a_wrong_setting_is_named_and_ends_only_the_command_that_is_about_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "pink"\n')
    run = recorded_run(tmp_path / "run")
    named = {"WORKBENCH_CONFIG": str(path)}
    shown = workbench("replay", "--plain", str(run), environment=named)
    told = f"workbench: {path}:1: theme: needs dark, light, contrast, terminal, not 'pink'\n"
    assert (shown.returncode, shown.stderr) == (0, told.replace("'pink'\n", "'pink'; the rest holds\n"))
    asked = workbench("config", environment=named)
    assert asked.returncode == 4 and told in asked.stderr
    assert workbench("export", str(run), environment=named).returncode == 0


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(item.relative_to(folder)): item.read_bytes() for item in folder.rglob("*") if item.is_file()}


def test_bad_input_changes_no_byte_of_a_run_that_is_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run = recorded_run(home / "runs" / "r1")
    (run / "run.json").write_text("{")
    before = content_of(home)
    asked = {
        ("down", "r1"): 4,
        ("inject", "r1", "kill 2"): 4,
        ("attach", "r1"): 3,
        ("up", "--brokers", "0"): 2,
        ("runs",): 0,
    }
    for arguments, code in asked.items():
        done = workbench(*arguments, home=home)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
    assert content_of(home) == before


def test_too_few_open_files_are_told_with_the_number_needed(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", sys.executable, "-m", "workbench", "up"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"WORKBENCH_HOME": str(tmp_path / "home")},
    )
    assert done.returncode == 3
    assert f"allows 64 open files for a process, a node may need {NEEDED}; ulimit -Hn tells" in done.stderr
    assert not (tmp_path / "home").exists()


def test_an_internal_error_is_one_line_and_its_traceback_is_in_a_file(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['workbench', 'doctor']; import workbench.cli.app as cli, workbench.cli.doctor as d\n"
        "del d.findings; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 7
    assert len(done.stderr.splitlines()) == 1
    log = Path(done.stderr.split()[-1])
    assert log.parent == tmp_path
    assert "NameError" in log.read_text()


def test_a_folder_of_other_files_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("x")
    done = workbench("up", "--data-dir", str(tmp_path / "letters"))
    assert done.returncode == 6
    assert "not one of ours" in done.stderr
    assert [item.name for item in (tmp_path / "letters").iterdir()] == ["dear.txt"]


def test_help_needs_neither_the_screen_nor_the_cluster() -> None:
    heavy = "('textual', 'cluster.runtime', 'pyspark')"
    code = f"import sys, workbench.cli.app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", [("replay", "{run}"), ("compare", "{run}", "{run}"), ("replay", "nosuch")])
def test_a_run_is_refused_before_the_screen_is_imported(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"version": "9.0"}), "utf-8")
    (tmp_path / "trace").mkdir()
    told = [word.format(run=tmp_path) for word in command]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "workbench", *told], capture_output=True, text=True, check=False
    )
    assert done.returncode in {4, 5}, done.stderr[-300:]
    assert done.stderr.splitlines()[-1].startswith("workbench: ")
    assert " textual" not in done.stderr


def test_doctor_tells_what_is_there_as_lines_and_as_json(tmp_path: Path) -> None:
    lines = workbench("doctor", home=tmp_path).stdout
    assert "Python" in lines
    found = json.loads(workbench("doctor", "--json", home=tmp_path).stdout)
    assert {"what", "ok", "needed", "text"} == set(found[0])


def test_an_empty_home_has_no_runs(tmp_path: Path) -> None:
    assert workbench("runs", home=tmp_path).stdout == "no run is recorded yet\n"
    assert json.loads(workbench("ps", "--json", home=tmp_path).stdout) == []


def test_ctrl_c_while_the_command_is_still_being_loaded_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "runs"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[3]}"},
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_it_says_its_version() -> None:
    done = workbench("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"workbench {metadata.version('kraft-workbench')}\n", "")
