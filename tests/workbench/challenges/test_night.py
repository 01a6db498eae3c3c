from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges import night
from workbench.runs.launch import WorldChoice
from workbench.support.refusal import Refusal

SIMULATED = WorldChoice(simulated=True, seed=0)


def settings(folder: Path, **given: str) -> Path:
    path = folder / "night.txt"
    chosen = {"replicas": "3", "min-isr": "2", "acks": "all", "unclean": "off"} | given
    path.write_text("".join(f"{key}={value}\n" for key, value in chosen.items()), "utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("worse", [{"acks": "1"}, {"unclean": "on"}, {"min-isr": "1"}], ids=str)
def test_one_wrong_choice_loses_records(worse: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(night, "SEEDS", 1)
    assert night.grade(settings(tmp_path), 0, tmp_path, SIMULATED).solved
    grade = night.grade(settings(tmp_path, **worse), 0, tmp_path, SIMULATED)
    assert not grade.solved and "lost, seeds 0" in grade.what


@pytest.mark.slow
def test_fewer_copies_or_more_that_are_needed_are_refused_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night, "SEEDS", 1)
    costs = [
        night.grade(settings(tmp_path, **{"replicas": replicas, "min-isr": least}), 0, tmp_path, SIMULATED).cost
        for replicas, least in (("3", "2"), ("3", "3"), ("2", "2"))
    ]
    assert costs[0] < min(costs[1:])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("replicas=4\n", "line 1: 'replicas=4'; each once: replicas=1|2|3"),
        ("replicas=3\nreplicas=3\n", "line 2"),
        ("replicas=3\n", "min-isr= is missing"),
        ("replicas=1\nmin-isr=2\nacks=all\nunclean=on\n", "min-isr=2 of 1 replicas takes no write"),
    ],
)
def test_what_are_no_settings_is_named(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        night.script_text(tmp_path / "n.txt", text)
    assert said in str(refused.value)


def test_it_is_not_for_processes(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="no --real"):
        night.grade(settings(tmp_path), 0, tmp_path, WorldChoice())
