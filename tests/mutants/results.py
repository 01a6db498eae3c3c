"""What is known of each mutant by now, in a file of lines that an interrupted pass goes on from."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from tests.mutants.reasons import NO_REASON, Why
from tests.mutants.sites import ROOT
from tests.mutants.swarm_judge import KINDS, Death, Sound

SWARM, UNIT, SCRIPTS = "swarm", "unit", "scripts"
JUDGES = (SWARM, UNIT, SCRIPTS)


def code_hash() -> str:
    """Of all that a seed's run depends on."""
    found = hashlib.sha256()
    for path in sorted((ROOT / "cluster").rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


class Results:
    """Results of one state of the code."""

    def __init__(self, path: Path, trouble_s: float) -> None:
        """Go on with a file, or begin one; that of other code is put aside."""
        self.sounds: dict[int, Sound] = {}
        """Seeds without a mistake."""
        self.deaths: dict[tuple[str, str], Death] = {}
        """By mutant and judge."""
        self.survived: dict[tuple[str, str], int] = {}
        """By mutant and judge: seeds from the first on that it was tried with; 0 where the judge has none."""
        self.reasons: dict[str, Why] = {}
        """By mutant: why the swarm does not see it."""
        self._path = path
        head = {"code": code_hash(), "trouble_s": trouble_s, "kinds": list(KINDS)}
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        if lines and json.loads(lines[0]) != head:
            path.rename(path.with_suffix(".old"))
            lines = []
        for line in lines[1:]:
            self._take(json.loads(line))
        if not lines:
            self._write(head)

    def _take(self, line: dict[str, Any]) -> None:
        if "seed" in line:
            sets = {name: frozenset(line[name]) for name in ("hits", "same", "tells")}
            self.sounds[line["seed"]] = Sound(**line | sets | {"unexpected": tuple(line["unexpected"])})
            return
        key = line["mutant"], line["judge"]
        if line["death"] is None:
            self.survived[key] = line["seeds"]
            if line["judge"] == SWARM:
                self.reasons[line["mutant"]] = Why(line["reason"], line["told"])
        else:
            self.deaths[key] = Death(*line["death"])

    def _write(self, line: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + os.linesep)

    def add_sound(self, sound: Sound) -> None:
        """Keep a seed without a mistake."""
        self.sounds[sound.seed] = sound
        plain = {"seed": sound.seed, "cpu_s": round(sound.cpu_s, 3), "trace": sound.trace}
        sets = {name: sorted(getattr(sound, name)) for name in ("hits", "same", "tells", "unexpected")}
        self._write(plain | sets)

    def add(self, mutant: str, judge: str, death: Death | None, seeds: int = 0, why: Why = NO_REASON) -> None:
        """Keep what a judge says."""
        line = {"mutant": mutant, "judge": judge, "death": death, "seeds": seeds, "reason": why.reason,
                "told": why.told}  # fmt: skip
        self._take(line)
        self._write(line)

    def is_judged(self, mutant: str, judge: str, seeds: int = 0) -> bool:
        """Whether there is nothing left to try."""
        return (mutant, judge) in self.deaths or self.survived.get((mutant, judge), -1) >= seeds

    def is_dead(self, mutant: str) -> bool:
        """Whether any judge has seen it."""
        return any((mutant, judge) in self.deaths for judge in JUDGES)

    def order(self, seeds: int) -> list[Sound]:
        """The first seeds, the most telling first: by how many mutants each decides by and kills in a second."""
        kills = Counter(death.where for (_, judge), death in self.deaths.items() if judge == SWARM)
        some = [sound for sound in self.sounds.values() if sound.seed <= seeds]
        return sorted(some, key=lambda sound: -(len(sound.decides) + 9 * kills[str(sound.seed)]) / (0.1 + sound.cpu_s))
