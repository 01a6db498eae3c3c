"""The checker's word on everything that the clients did to the cluster, kills and lost answers included."""

from __future__ import annotations

import re

from living_lab import LivingLab
from watching import workbench

HELD_MIN = 20


def test_no_rule_is_violated_by_what_real_clients_saw(lab: LivingLab) -> None:
    lab.do("produce first 5")
    done = workbench(lab.folder.parents[1], "check", lab.folder.name)
    verdict = re.search(r"rules: (\d+) hold,.* 0 violated", done.stdout)
    assert verdict, done.stdout
    assert int(verdict[1]) >= HELD_MIN
