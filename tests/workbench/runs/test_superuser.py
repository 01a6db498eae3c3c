"""Who runs the workbench as root, and whether that is meant."""

from __future__ import annotations

import pytest

from workbench.runs import superuser
from workbench.runs.superuser import VARIABLE, check_root
from workbench.support.refusal import ENVIRONMENT, Refusal

ALICE = {"SUDO_USER": "al\x1bice", "SUDO_UID": "1000"}


@pytest.fixture(autouse=True)
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(superuser, "is_root", lambda: True)
    monkeypatch.setenv(VARIABLE, "")  # put back whatever a test leaves there


@pytest.mark.parametrize(
    "words", [[], ["up"], ["lab", "--brokers", "1"], ["play", "--all"], ["learn", "1", "--allow-root"]]
)
def test_nodes_are_not_started_as_root_for_somebody_who_used_sudo(words: list[str]) -> None:
    with pytest.raises(Refusal, match=r"as root for al\u241bice: .* workbench --allow-root") as refused:
        check_root(words, ALICE)
    assert refused.value.code == ENVIRONMENT


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["up"], {}),
        (["up"], {"SUDO_USER": "root", "SUDO_UID": "0"}),
        (["--allow-root", "up"], ALICE),
        (["--allow-root"], ALICE),
        (["up"], ALICE | {VARIABLE: "1"}),
        (["up", "--help"], ALICE),
        (["ps"], ALICE),
        (["down", "lab"], ALICE),
    ],
)
def test_root_may_where_nobody_else_asked_where_it_is_meant_and_where_nothing_starts(
    words: list[str], environment: dict[str, str]
) -> None:
    check_root(words, environment)


def test_an_ordinary_user_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(superuser, "is_root", lambda: False)
    check_root(["up"], ALICE)
