"""The commands of free play: challenges, the bug hunt, a rule of one's own, public incidents. `app` takes them in."""

from __future__ import annotations

from typing import Annotated

import typer

from cluster.model.identifiers import LAST_CONTROLLER_ID
from workbench.support import option_types as option


@option.opens_screen
def challenge(
    number: Annotated[int | None, typer.Argument(help="1 to 10; without it all are listed.")] = None,
    solution: Annotated[str, typer.Argument(help="A file to grade; without it the challenge opens.")] = "",
    seed: option.Seed = None,
    real: Annotated[bool, typer.Option("--real", help="On real processes.")] = False,  # noqa: FBT002
    as_json: option.Json = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """List the ten challenges. With a number: play one. With a file: grade it from its trace."""
    from workbench.cli.challenge import challenge as play

    raise typer.Exit(play(number, solution, seed, data_dir, real=real, as_json=as_json))


@option.opens_screen
def hunt(
    what: Annotated[str, typer.Argument(metavar="[level|name]", help="1 to 3, or a sealed name.")] = "",
    rule: Annotated[str, typer.Argument(help="The rule that it breaks, such as P1.")] = "",
    script: Annotated[str, typer.Argument(help="A script that shows it.")] = "",
    seed: option.Seed = None,
    as_json: option.Json = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Hunt a bug: a simulated cluster has one and says nothing. Hand in the rule that it breaks and a script."""
    from workbench.cli.hunt import hunt as play

    raise typer.Exit(play(what, rule, script, seed, data_dir, as_json=as_json))


def rule(
    file: Annotated[str, typer.Argument(help="A Python file with one function; it is run, with limits.")] = "",
    example: Annotated[str, typer.Option("--example", metavar="KIND", help="Print a right rule to start from.")] = "",
    seeds: option.Seeds = option.SeedRange(1, 200),  # noqa: B008  # it cannot be changed
    jobs: option.Jobs = 0,
    as_json: option.Json = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Try to refute a rule of your own in simulated clusters. This runs your code in a process with limits."""
    from workbench.cli.own_rule import own_rule as play

    raise typer.Exit(play(file, example, seeds, jobs, data_dir, as_json=as_json))


def quiz(
    when: Annotated[str, typer.Argument(metavar="[before|after]", help="The course.")] = "",
    as_table: Annotated[bool, typer.Option("--csv", help="Print answers and difficulty of each question.")] = False,  # noqa: FBT002
    class_folder: Annotated[
        str | None,
        typer.Option("--class", parser=option.path, metavar="DIR", help="A folder with one for each learner."),
    ] = None,
) -> None:
    """Ask twelve questions before the course and after it. No cluster is needed."""
    from workbench.cli.quiz import quiz as ask

    raise typer.Exit(ask(when, class_folder, as_table=as_table))


def incidents(
    name: Annotated[str, typer.Argument(help="Its number, its name or the beginning of it.")] = "",
    real: Annotated[bool, typer.Option("--real", help="On real processes.")] = False,  # noqa: FBT002
    seed: option.Seed = None,
    slow: option.Slow = 1.0,
    as_json: option.Json = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """List public incidents. With a name: what happened, then it is played, simulated or on real processes."""
    from workbench.cli.incidents import Asked
    from workbench.cli.incidents import incidents as tell

    raise typer.Exit(tell(name, Asked(real, seed, slow, as_json, data_dir)))


def dump(
    run: option.Run,
    node: Annotated[int, typer.Argument(min=1, max=LAST_CONTROLLER_ID, help="Whose files.")],
    metadata: Annotated[bool, typer.Option("--metadata", help="Only the metadata log and its snapshots.")] = False,  # noqa: FBT002
    as_json: option.Json = False,  # noqa: FBT002
    data_dir: option.DataDir = None,
) -> None:
    """Print what a node's files hold, in words.

    Logs, checkpoints and snapshots. A bad one is named, and the exit code is 4. For machines it is one object a line.
    """
    from workbench.cli.dump import dump as show
    from workbench.runs.find import recording_of

    raise typer.Exit(show(recording_of(run, data_dir), node, metadata=metadata, as_json=as_json))


COMMANDS = (challenge, hunt, rule, quiz, incidents, dump)
