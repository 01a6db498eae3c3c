"""Whether the swarm alone sees a mistake: the first of its seeds that something is wrong with."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from cluster.invariants.verdicts.report import Tally
from cluster.model import exit_codes
from cluster.model.entry import Entry
from cluster.model.events import ProcessExited
from cluster.model.settings import ZOOKEEPER
from cluster.simulation.swarm.seed import run_seed
from cluster.simulation.world.recording import Fingerprint, Reader
from tests.mutants.answers import Answers
from tests.mutants.plant import Probes, planted
from tests.mutants.sites import Mutant

TROUBLE_S = 10.0
"""Virtual seconds of faults in a seed, as `workbench swarm` has them."""
KINDS: tuple[dict[str, Any], ...] = (
    {"control": ZOOKEEPER},
    {},
    {"transactions": True},
    {"transactions": True, "voter_changes": True, "fetch_sessions": True},
)
"""What seeds are asked for besides what they draw themselves, in turns: else no seed would meet the rules of these."""
CPU_S_MAX = 3.0
"""Of one seed, and so many times what it took without a mistake; who takes longer hangs."""
CPU_FACTOR = 8


class Death(NamedTuple):
    """How a mutant was found."""

    where: str
    """A seed, or a test."""
    why: str
    """A rule, or a word: exit, rest, raised, hang, test."""
    tried: int
    """Seeds or tests until then, this one included."""


class Sound(NamedTuple):
    """A seed without a mistake."""

    seed: int
    cpu_s: float
    hits: frozenset[str]
    """Mutants that would have made a difference somewhere in it."""
    unexpected: tuple[str, ...]
    trace: str
    """Its fingerprint: a run with the same one is the same run."""
    same: frozenset[str] = frozenset()
    """Those of the mutants that are met with which every rule decides the same, each time that it is asked."""
    tells: frozenset[str] = frozenset()
    """Those of these with which a rule tells other words or numbers of what it decides."""

    @property
    def decides(self) -> frozenset[str]:
        """Mutants that can make it another run."""
        return self.hits - self.same


class Trial(NamedTuple):
    """What a seed came to with mistakes in it."""

    wrong: str
    """The first thing that is wrong; empty for nothing."""
    differs: bool
    """Whether it is another run than without."""


class _Seen(BaseException):
    """Something is wrong: no handler of a node may take this for a crash of its own."""


def kind(seed: int) -> dict[str, Any]:
    """What a seed is asked for."""
    return KINDS[seed % len(KINDS)]


def trial(mutants: Sequence[Mutant], sound: Sound) -> Trial:
    """Play one seed with all these mistakes at once, until something is wrong."""
    found = Fingerprint()
    wrong = played(mutants, sound, found)
    return Trial(wrong, bool(wrong) or str(found) != sound.trace)


def played(mutants: Sequence[Mutant], sound: Sound, reader: Reader) -> str:
    """The first thing that is wrong with a seed; empty for nothing."""
    with _stops_at_the_first(), planted(mutants):
        signal.setitimer(signal.ITIMER_PROF, CPU_S_MAX + CPU_FACTOR * sound.cpu_s)
        try:
            unexpected = run_seed(sound.seed, TROUBLE_S, (_crash, reader), **kind(sound.seed)).unexpected
            return unexpected[0].split()[0].rstrip(":") if unexpected else ""
        except _Seen as seen:
            return str(seen)
        except Exception as error:  # what a mutant raises is how it dies
            return f"raised {type(error).__name__}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            gc.collect()


def _crash(entries: Iterable[Entry]) -> None:
    """A reader that waits for no end."""
    for entry in entries:
        if type(entry.event) is ProcessExited and entry.event.exit_code == exit_codes.CRASHED:
            raise _Seen("exit")


@contextmanager
def _stops_at_the_first() -> Iterator[None]:
    """The rest of a run whose verdict is known is not played."""
    violated = Tally.violated

    def stop(self: Tally, *given: Any, **named: Any) -> None:
        violated(self, *given, **named)
        if self.found_count:
            raise _Seen(self.info.id)

    def hang(*_signal: Any) -> None:
        raise _Seen("hang")

    before = signal.signal(signal.SIGPROF, hang)
    Tally.violated = stop  # type: ignore[method-assign]
    gc.disable()
    try:
        yield
    finally:
        Tally.violated = violated  # type: ignore[method-assign]
        signal.signal(signal.SIGPROF, before)


def sound(seed: int, probes: Probes, answers: Answers) -> Sound:
    """Run a seed as it is, and see what it meets, and what its rules would answer with each mistake."""
    gc.disable()
    probes.hits.clear()
    found = Fingerprint()
    began = time.process_time()
    with answers.asked():
        result = run_seed(seed, TROUBLE_S, (_crash, found), **kind(seed))
    passed_s = time.process_time() - began
    gc.collect()
    met = frozenset(probes.hits)
    same = (met & answers.can_ask) - answers.decides
    return Sound(seed, passed_s, met, result.unexpected, str(found), same, same & answers.tells)
