"""Writes a quorum's line as a TLA+ module that extends the specification of KIP-996."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cluster.model.identifiers import NodeId
from judges.specification.quorum_state import QuorumState, Voter
from judges.specification.tlc import Module

ROLES = {
    "unattached": "Unattached", "prospective": "Prospective", "candidate": "Candidate", "leader": "Leader",
    "follower": "Follower", "resigned": "Resigned",
}  # fmt: skip
_WORDS = (
    *ROLES.values(), "DeadNoState", "AppendCommand", "InitClusterCommand", "AddVoterCommand", "RemoveVoterCommand",
    "LeaderChangeRecord", "Nil", "Ok", "NotOk", "Diverging", "UnknownMember", "AlreadyMember", "ReconfigInProgress",
    "LeaderNotReady", "FencedLeaderEpoch", "NotLeader", "UnknownLeader", "InvalidRequest", "RequestVoteRequest",
    "RequestVoteResponse", "BeginQuorumEpochRequest", "FetchRequest", "FetchResponse", "AnyEpoch", "EqualEpoch",
    "IllegalState",
)  # fmt: skip
"""Values that the specification only needs to tell apart."""
_UNBOUNDED, _NEVER = 1000, 0
_LIMITS = {
    "MaxEpoch": _UNBOUNDED, "MaxDisruptiveElectionTriggers": _UNBOUNDED, "MaxValuesPerEpoch": _UNBOUNDED,
    "MaxRestarts": _UNBOUNDED, "MaxConnectivityChanges": _UNBOUNDED, "MaxPermCrashes": _NEVER,
    "MaxAddReconfigs": _NEVER, "MaxRemoveReconfigs": _NEVER,
}  # fmt: skip
_SIZES = ("MaxSpawnedServers", "InitClusterSize", "MinClusterSize", "MaxClusterSize")
_TEMPLATE = Path(__file__).with_name("quorum.tla")


def quorum_module(name: str, line: Sequence[QuorumState], nodes: Sequence[NodeId], stop: int = 0) -> Module:
    """stop: the step before which TLC is to say what is allowed; 0 for none."""
    rows = [f"  {_state(state, nodes)}{',' if at < len(line) else ''}" for at, state in enumerate(line, start=1)]
    text = _TEMPLATE.read_text("utf-8")
    words = {"NAME": name, "TRACE": "\n".join(rows), "N": str(len(nodes)), "STOP": str(stop)}
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    hosts = [f"h{at}" for at in range(len(nodes))]
    writes = max(1, sum(state.label == "client" for state in line))
    values = {
        **{word: word for word in (*_WORDS, *hosts)}, **_LIMITS, **dict.fromkeys(_SIZES, len(nodes)),
        "TestLiveness": "FALSE", "Hosts": f"{{{', '.join(hosts)}}}",
        "Value": f"{{{', '.join(map(str, range(1, writes + 1)))}}}",
    }  # fmt: skip
    lines = ["CONSTANTS", *(f"  {key} = {value}" for key, value in values.items())]
    lines += ["  symmHosts <- Unordered", "  symmHostsAndValues <- Unordered", "SPECIFICATION TSpec"]
    lines += ["INVARIANT NotFinished", *(["INVARIANT Tell"] if stop else [])]
    return Module(name, text, "\n".join(lines) + "\n")


def _state(state: QuorumState, nodes: Sequence[NodeId]) -> str:
    voters = ", ".join(_voter(voter, nodes) for voter in state.voters)
    at, peer = _index(state.node, nodes), _index(state.peer, nodes)
    return f'[a |-> "{state.label}", s |-> {at}, p |-> {peer}, m |-> {_message(state)}, st |-> <<{voters}>>]'


def _message(state: QuorumState) -> str:
    message = state.message
    if message is None:
        return "Nil"
    epoch, end = message.last
    granted = state.granted if message.granted is None else message.granted
    return (
        f"[asks |-> {_truth(message.granted is None)}, pre |-> {_truth(message.pre_vote)}, e |-> {message.epoch}, "
        f"le |-> {epoch}, end |-> {end}, yes |-> {_truth(granted)}]"
    )


def _truth(value: bool) -> str:
    return str(value).upper()


def _voter(voter: Voter, nodes: Sequence[NodeId]) -> str:
    log = ", ".join(map(str, voter.log))
    return (
        f"[r |-> {ROLES[voter.role]}, e |-> {voter.epoch}, v |-> {_named(voter.voted, nodes)}, log |-> <<{log}>>, "
        f"hw |-> {voter.high_watermark}, ld |-> {_named(voter.leader, nodes)}]"
    )


def _index(node: NodeId, nodes: Sequence[NodeId]) -> int:
    return nodes.index(node) + 1 if node in nodes else 0


def _named(node: NodeId, nodes: Sequence[NodeId]) -> str:
    return str(_index(node, nodes) or "Nil")
