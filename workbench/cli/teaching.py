"""The commands of a class: hand in, grade, print. `app` takes them in."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.support import option_types as option


def submit(
    lesson: Annotated[str, typer.Option(metavar="N", help="A lesson that you took; several as 2,6.")] = "",
    challenge: Annotated[str, typer.Option(metavar="N", help="A challenge that you solved; several as 1,4.")] = "",
    quiz: Annotated[bool, typer.Option("--quiz", help="Your answers before and after the course.")] = False,  # noqa: FBT002
    name: Annotated[str, typer.Option(metavar="NAME", help="As the class knows you; by default the account.")] = "",
    out: Annotated[str, typer.Option(metavar="FILE", help="By default NAME and what is in it.")] = "",
    data_dir: option.DataDir = None,
) -> None:
    """Write one file to hand in. It has your newest answers, and the runs that they are about."""
    from workbench.cli.grading import submit as write

    raise typer.Exit(write(lesson, challenge, quiz=quiz, name=name, out=out, data_dir=data_dir))


def grade(
    folder: Annotated[str, typer.Argument(parser=option.path, metavar="FOLDER", help="With submissions, or one file.")],
    form: Annotated[
        str,
        typer.Option(metavar="FORM", help="csv, canvas, moodle, gradescope, prairielearn or classroom50."),
    ] = "csv",
    exam: Annotated[str, typer.Option(metavar="FILE", help="The exam that was given, to grade answers to it.")] = "",
    out: Annotated[str, typer.Option(metavar="FILE", help="By default the form's usual name, in this folder.")] = "",
) -> None:
    """Grade what a class has handed in. Runs are played again and judged; exit 1 when one is to be looked at.

    Nothing in a file is believed: each right answer is computed anew from the events of its run.
    """
    from workbench.cli.grading import grade as judge

    raise typer.Exit(judge(folder, form, out, exam))


def handout(
    lesson: Annotated[str, typer.Argument(help="Its number, its name, or the beginning of it.")],
    teacher: Annotated[bool, typer.Option("--teacher", help="With right answers, reasons and notes.")] = False,  # noqa: FBT002
    seed: Annotated[
        int,
        typer.Option(parser=option.whole_number(0, (1 << 62) - 1), metavar="N", help="Of its play and its letters."),
    ] = 0,
    out: Annotated[str, typer.Option(metavar="FILE", help="By default lesson-N.html, in this folder.")] = "",
) -> None:
    """Write a lesson as a page to print. Its cases and questions are in front, what happened is on the back."""
    from workbench.cli.handout import handout as write

    raise typer.Exit(write(lesson, out, seed, for_teacher=teacher))


def exam(
    file: Annotated[str, typer.Argument(parser=option.path, help="The exam, as a TOML file of the teacher.")],
    student: Annotated[str, typer.Option(metavar="NAME", help="Who takes it: draws the world of each question.")] = "",
    paper: Annotated[str, typer.Option(metavar="FILE", help="Print it for everybody whose name is a line there.")] = "",
    out: Annotated[str, typer.Option(metavar="PATH", help="File to hand in, or folder of what is printed.")] = "",
) -> None:
    """Take an exam, or print it with its key. Nothing is told of what is right, and no network is needed.

    Each student gets questions about clusters of their own, so that neighbours have other right answers.
    """
    from workbench.cli.exam import exam as take

    raise typer.Exit(take(file, student, out, students=paper))


COMMANDS = (submit, grade, handout, exam)
