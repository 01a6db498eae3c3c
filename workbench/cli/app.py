"""The command line: parse, call, print. Results go to stdout, the rest to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.command_words import check_words, misused
from workbench.cli.games import COMMANDS
from workbench.cli.handing_on import COMMANDS as HANDING_ON
from workbench.cli.judging import check, outside_commands
from workbench.cli.leaving import mistakes_told
from workbench.cli.studying import COMMANDS as STUDYING
from workbench.cli.teaching import COMMANDS as TEACHING
from workbench.support import option_types as option
from workbench.support.refusal import USAGE, Refusal

app = typer.Typer(
    name="workbench",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def home(context: typer.Context, version: option.Version = False, allow_root: option.AllowRoot = False) -> None:  # noqa: FBT002
    """Watch a KRaft cluster of real processes, break it, and rewind what happened.

    Without a command: the home screen with lessons, the free lab and recorded runs.
    """
    if context.invoked_subcommand is None:
        from workbench.tui.at_home import open_home

        raise typer.Exit(open_home())


@app.command()
@option.opens_screen
def lab(
    controllers: option.Controllers = None,
    brokers: option.Brokers = 3,
    combined: option.Combined = False,  # noqa: FBT002
    spare_controllers: option.SpareControllers = None,
    racks: option.Racks = 0,
    slow: option.Slow = 1.0,
    timing: option.Timing = "classroom",
    control: option.Control = "kraft",
    replication_factor: option.Replicas = None,
    min_isr: option.MinIsr = None,
    base_port: option.BasePort = None,
    load: option.Load = "",
    simulated: option.Simulated = False,  # noqa: FBT002
    seed: option.Seed = None,
    beside: option.Beside = "",
    data_dir: option.DataDir = None,
) -> None:
    """Start a cluster and show it; it ends with the screen."""
    from workbench.runs.wanted import Wanted
    from workbench.tui.launch import open_free_lab

    wanted = Wanted(
        controllers=controllers, brokers=brokers, combined=combined, spare_controllers=spare_controllers, slow=slow,
        timing=timing, replication_factor=replication_factor, min_isr=min_isr, base_port=base_port, data_dir=data_dir,
        simulated=simulated, seed=seed, load=load, beside=beside, control=control, racks=racks,
    )  # fmt: skip
    raise typer.Exit(open_free_lab(wanted))


@app.command()
@option.opens_screen
def learn(
    lesson: Annotated[
        str, typer.Argument(help="Its number, its name, the beginning of it, or the path of its folder.")
    ] = "",
    slow: option.Slow = 1.0,
    timing: option.LessonTiming = "",
    simulated: option.Simulated = False,  # noqa: FBT002
    seed: option.Seed = None,
    data_dir: option.DataDir = None,
) -> None:
    """Show a lesson beside its cluster."""
    from workbench.cli.learning import learn as show
    from workbench.runs.launch import WorldChoice

    raise typer.Exit(show(lesson, slow, timing, data_dir, WorldChoice(simulated=simulated, seed=seed)))


@app.command()
def play(
    lessons: Annotated[list[str] | None, typer.Argument(help="Numbers or names.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every lesson there is.")] = False,  # noqa: FBT002
    slow: option.Slow = 1.0,
    timing: option.LessonTiming = "",
    as_json: option.Json = False,  # noqa: FBT002
    simulated: option.Simulated = False,  # noqa: FBT002
    seed: option.Seed = None,
    worlds: Annotated[
        bool, typer.Option("--worlds", help="Play the other worlds instead, simulated: in each its option is right.")
    ] = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Play lessons without a screen and check what they claim. On real processes, or simulated."""
    from workbench.cli.play import play_from_command_line
    from workbench.runs.launch import WorldChoice

    world = WorldChoice(simulated, seed)
    code = play_from_command_line(lessons or [], every, slow, timing, as_json, data_dir, world, worlds=worlds)
    raise typer.Exit(code)


@app.command()
def run(
    script: Annotated[str, typer.Argument(help="File of commands and expectations.")],
    slow: option.Slow = 1.0,
    as_json: option.Json = False,  # noqa: FBT002
    simulated: option.Simulated = False,  # noqa: FBT002
    seed: option.Seed = None,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="Take what a simulation prints as the script's expected output.")
    ] = False,  # noqa: FBT002
    beside: option.RunBeside = "",
    data_dir: option.DataDir = None,
) -> None:
    """Run a script and check what it expects. On real processes, or simulated."""
    from workbench.runs.launch import WorldChoice

    if not script:
        raise Refusal(USAGE, "run: empty path; name the file of a script")
    world = WorldChoice(simulated or bool(beside), seed)
    if beside:
        from workbench.cli.run_beside import run_beside

        raise typer.Exit(run_beside(script, beside, slow, as_json, world, data_dir, rewrites=rewrite))
    from workbench.cli.run_script import run_script
    from workbench.support.places import usable_home

    home = usable_home(data_dir)
    raise typer.Exit(run_script(Path(script), as_json=as_json, home=home, slow=slow, world=world, rewrites=rewrite))


@app.command()
def swarm(
    seeds: option.Seeds = option.SeedRange(1, 100),  # noqa: B008  # it cannot be changed
    jobs: option.Jobs = 0,
    trouble: option.Trouble = None,
    disk_faults: option.DiskFaults = False,  # noqa: FBT002
    voter_changes: option.VoterChanges = False,  # noqa: FBT002
    transactions: option.Transactions = False,  # noqa: FBT002
    fetch_sessions: option.FetchSessions = False,  # noqa: FBT002
    control: option.Control = "kraft",
    all_parts: option.AllParts = False,  # noqa: FBT002
    as_json: option.Json = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Break simulated clusters at random; check what must hold. Each seed is another cluster."""
    from workbench.cli import swarm as command

    asked = disk_faults, voter_changes, transactions, fetch_sessions, control
    asked_trouble = command.Trouble(trouble or command.TROUBLE_SECONDS, *asked, all_parts)
    raise typer.Exit(command.swarm(seeds, jobs or option.all_cores(), asked_trouble, data_dir, as_json=as_json))


@app.command()
def up(
    controllers: option.Controllers = None,
    brokers: option.Brokers = 3,
    combined: option.Combined = False,  # noqa: FBT002
    spare_controllers: option.SpareControllers = None,
    racks: option.Racks = 0,
    slow: option.Slow = 1.0,
    timing: option.Timing = "classroom",
    control: option.Control = "kraft",
    replication_factor: option.Replicas = None,
    min_isr: option.MinIsr = None,
    base_port: option.BasePort = None,
    duration: option.Duration = None,
    client_auth: option.ClientAuth = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Start a cluster that stays until `down`."""
    from workbench.cli.runs import up as start
    from workbench.runs.wanted import Wanted

    wanted = Wanted(
        controllers=controllers, brokers=brokers, combined=combined, spare_controllers=spare_controllers, slow=slow,
        timing=timing, replication_factor=replication_factor, min_isr=min_isr, base_port=base_port, duration_s=duration,
        client_auth=client_auth, data_dir=data_dir, title="Cluster that stays", control=control, racks=racks,
    )  # fmt: skip
    raise typer.Exit(start(wanted, as_json=as_json))


@app.command()
def ps(data_dir: option.DataDir = None, as_json: option.Json = False) -> None:  # noqa: FBT002
    """List runs that are up."""
    from workbench.cli.runs import ps as print_living

    raise typer.Exit(print_living(data_dir, as_json=as_json))


@app.command()
def inject(
    run: option.Run,
    command: Annotated[str, typer.Argument(help='For example "kill 2", "cut 1>2", "produce orders 20".')],
    data_dir: option.DataDir = None,
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Send one command to a run that is up."""
    from workbench.cli.runs import inject as send

    raise typer.Exit(send(run, command, data_dir, as_json=as_json))


@app.command()
@option.opens_screen
def attach(
    run: option.AnyRun = None,
    watch: option.Watch = False,  # noqa: FBT002
    notes: option.Notes = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Show a run that is up; leaving the screen leaves it up. Or show the speaker's notes to the lesson in class."""
    from workbench.cli.runs import attach as show

    raise typer.Exit(show(run, data_dir, notes=notes, watch=watch))


@app.command()
def down(run: option.AnyRun = None, data_dir: option.DataDir = None) -> None:
    """End a run in order; without a name the only one that is up."""
    from workbench.cli.runs import down as end

    raise typer.Exit(end(run, data_dir))


@app.command()
@option.opens_screen
def resume(
    run: option.Run,
    stay: Annotated[bool, typer.Option("--stay", help="Without the screen, until `down`.")] = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Go on with a run that is over, however it ended."""
    from workbench.cli.resuming import resume as go_on

    raise typer.Exit(go_on(run, data_dir, stay=stay, as_json=as_json))


@app.command()
def delete(
    run: option.Run,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Delete a run that is over, recording and all."""
    from workbench.cli.resuming import delete as remove

    raise typer.Exit(remove(run, data_dir, sure=yes))


@app.command()
def reap(run: option.Run, data_dir: option.DataDir = None) -> None:
    """End what a run left behind when its lab died."""
    from workbench.cli.runs import reap as end

    raise typer.Exit(end(run, data_dir))


@app.command()
def runs(data_dir: option.DataDir = None, as_json: option.Json = False) -> None:  # noqa: FBT002
    """List all recorded runs."""
    from workbench.cli.runs import runs as print_all

    raise typer.Exit(print_all(data_dir, as_json=as_json))


@app.command()
@option.opens_screen
def replay(run: option.Run, at: option.At = "", data_dir: option.DataDir = None) -> None:
    """Rewind a recorded run on the screen."""
    from workbench.runs.find import recording_of

    folder = recording_of(run, data_dir)  # what is refused is refused before the screen is imported
    from workbench.tui.launch import open_replay

    raise typer.Exit(open_replay(folder, at))


@app.command()
@option.opens_screen
def compare(run: option.Run, other: option.Run, data_dir: option.DataDir = None) -> None:
    """Show two recorded runs beside each other. Where they part, and what came of each; in a pipe as lines."""
    from workbench.runs.find import recording_of

    folders = recording_of(run, data_dir), recording_of(other, data_dir)
    from workbench.tui.launch import open_comparison

    raise typer.Exit(open_comparison(*folders))


for command in (*HANDING_ON, *STUDYING, *TEACHING):
    app.command()(command)


@app.command()
def config(what: Annotated[str, typer.Argument(help="path, or show: a file to begin with.")] = "show") -> None:
    """Tell which settings of the screen are in force. With the id of every key; or where their file lies."""
    from workbench.cli.config import config as tell

    raise typer.Exit(tell(what))


@app.command()
def rules(
    name: Annotated[str, typer.Argument(help="For example grant_vote, or raft.truncation_point: with its code.")] = "",
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """List the rules of the protocol, each with its source. With a name: that rule and its code."""
    from workbench.cli.rules import rules as show

    raise typer.Exit(show(name, as_json=as_json))


@app.command()
def doctor(file: option.PropertiesFile = None, as_json: option.Json = False) -> None:  # noqa: FBT002
    """Tell what is wrong with this machine or a file of settings."""
    if file is not None:
        from workbench.cli.server_properties import examine_file

        raise typer.Exit(examine_file(file))
    from workbench.cli.doctor import doctor as examine

    raise typer.Exit(examine(as_json=as_json))


@app.command()
def site(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A new folder, or one that this made.")],
    docs: Annotated[str, typer.Option(metavar="DIR", help="The built documentation, which goes along.")] = "",
) -> None:
    """Build the site: the program in a browser tab, as files.

    Any web server can hold the folder. Needs Node.js, and a network once.
    """
    from pathlib import Path

    from workbench.web.site import build_site

    build_site(Path(folder), docs=Path(docs) if docs else None)


FROM_ELSEWHERE: tuple[Callable[..., Any], ...] = (check, *outside_commands(), *COMMANDS)
for command in FROM_ELSEWHERE:
    app.command()(command)


def main() -> None:
    """Entry point of the console command: a refusal is one line and an exit code, never a traceback."""
    names = [str(item.callback.__name__).replace("_", "-") for item in app.registered_commands if item.callback]
    with mistakes_told():
        check_words(sys.argv[1:], names)
        try:
            code = app(standalone_mode=False)
            sys.stdout.flush()  # here it can still be told that nobody can read it
            sys.exit(code)
        except typer.TyperException as error:
            raise misused(error, sys.argv[1:], names) from None
        except typer.Abort:  # ctrl-D where a question was asked
            raise Refusal(USAGE, "nobody answered, so nothing was done") from None
