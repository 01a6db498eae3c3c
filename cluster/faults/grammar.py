"""Every command there is: the faults, what takes them back, and what built-in clients do."""

from __future__ import annotations

from typing import Final

from cluster.faults import clients, clocks, disks, healing, links, messages, plucking, processes
from cluster.faults.fault import Fault
from cluster.language import members, topics, transactions, voters, znodes
from cluster.language.grammar import CommandHelp as CommandHelp
from cluster.language.grammar import Grammar, commands_in
from cluster.language.words import CommandError as CommandError
from cluster.language.words import Known
from cluster.model.identifiers import NodeId

_FAMILIES: Final = (
    processes, links, plucking, disks, clients, messages, clocks, topics, transactions, members, voters, znodes,
    healing,
)  # fmt: skip
COMMANDS: Final = tuple(commands_in(_FAMILIES))
"""As help shows them."""
_TOGETHER: Final = clients.TOGETHER | clocks.TOGETHER | disks.TOGETHER | voters.TOGETHER | transactions.TOGETHER
_GRAMMAR: Final = Grammar(COMMANDS, _TOGETHER)
parse_command: Final = _GRAMMAR.parse
known_commands: Final = _GRAMMAR.help
FAULTS: Final = {name: kind for kind in COMMANDS if issubclass(kind, Fault) for name in kind.kinds()}
"""Each kind of fault, by the names that traces have for it."""
VERB_OF: Final = {kind.__name__: kind.verb for kind in COMMANDS} | {name: kind.verb for name, kind in FAULTS.items()}
"""The first words of each kind of command, by the name in traces."""


def suggestions(text: str, nodes: tuple[NodeId, ...] = (), known: tuple[str, ...] = ()) -> list[str]:
    """Whole lines that continue the text, all of them. What is known of topics are partitions such as orders-0."""
    return _GRAMMAR.continuations(text, Known(nodes, known))
