"""The command that judges a recorded run. `app` takes it in."""

from __future__ import annotations

import typer

from workbench.support import option_types as option


def check(
    run: option.Run,
    salvage: option.Salvage = False,  # noqa: FBT002
    against: option.Against = "",
    specs: option.Specs = None,
    tlc: option.Tlc = None,
    partition: option.OnePartition = "",
    data_dir: option.DataDir = None,
    as_json: option.Json = False,  # noqa: FBT002
) -> None:
    """Judge a recorded run by its events: the verdict of each rule. Exit 1 when one is violated.

    With --against: whether a public specification of Kafka allows what the run shows. Exit 1 when it does not, 3 when
    that cannot be judged.
    """
    from workbench.cli.check import check as judge
    from workbench.cli.check_against import Asked, check_against
    from workbench.runs.find import recording_of

    if against or specs or tlc or partition:
        asked = Asked(against, specs, tlc, partition, as_json)
        raise typer.Exit(check_against(recording_of(run, data_dir), asked, salvage=salvage))
    raise typer.Exit(judge(recording_of(run, data_dir), as_json=as_json, salvage=salvage))
