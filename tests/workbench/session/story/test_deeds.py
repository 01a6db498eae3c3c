"""Every fault can be told as a deed."""

from __future__ import annotations

import pytest

from cluster.faults.fault import Fault
from cluster.faults.grammar import COMMANDS
from workbench.session.story.deeds import DEEDS, deed_of

GAPS = {"n": "n3", "links": "n1 and n2", "what": "kill 3", "cut": "n1 from n2"}


def kinds() -> list[str]:
    return sorted({kind.__name__ for kind in COMMANDS if issubclass(kind, Fault)} | {"CutLinks"})


@pytest.mark.parametrize("kind", kinds())
def test_a_fault_is_told_as_yours_and_as_somebody_elses(kind: str) -> None:
    assert kind in DEEDS, f"say in DEEDS what {kind} is"
    yours, others = (deed_of(kind, by_you=by_you).format(**GAPS) for by_you in (True, False))
    assert yours.startswith("you ") and not others.startswith("you ")
    assert "{" not in yours + others
