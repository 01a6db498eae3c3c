"""Who leads, and what the ISR and the ELR are then: each way that an election may end."""

from __future__ import annotations

import pytest

from cluster.controller.rules.leader_election import (
    Candidates,
    Choice,
    Election,
    Membership,
    elect_leader,
    isr_after_election,
)
from cluster.model.partition_state import PartitionState

VALID, STAYS = "the preferred replica is valid", "the leader is still valid"
FROM_ISR = "first valid replica in assignment order, from the ISR"
FROM_ELR = "first valid replica in assignment order, from the ELR, the ISR is empty"
LAST = "ISR and ELR are empty: the last known leader"
UNCLEAN, NOBODY = "no valid replica: the first eligible one, unclean", "no replica may lead"


def candidates(
    isr: str, elr: str, eligible: str, *, leader: int = 1, last: int = -1, elr_on: bool = True
) -> Candidates:
    """Of a partition with replicas 1, 2 and 3; each digit is a broker."""
    state = PartitionState(
        topic_id=1,
        replicas=(1, 2, 3),
        isr=(1, 2, 3),
        leader=leader,
        leader_epoch=0,
        partition_epoch=0,
        min_insync_replicas=2,
        last_known_leader=last,
    )
    return Candidates(
        state=state,
        target_isr=tuple(map(int, isr)),
        target_elr=tuple(map(int, elr)),
        eligible=frozenset(map(int, eligible)),
        elr_enabled=elr_on,
    )


@pytest.mark.parametrize(
    ("given", "election", "choice", "reason"),
    [
        (candidates("123", "", "123", leader=2), Election.ONLINE, Choice(leader=2), STAYS),
        (candidates("123", "", "123", leader=2), Election.PREFERRED, Choice(leader=1), VALID),
        (candidates("23", "", "123", leader=2), Election.PREFERRED, Choice(leader=2), STAYS),
        (candidates("123", "", "23", leader=1), Election.ONLINE, Choice(leader=2), FROM_ISR),
        (candidates("3", "2", "23", leader=1), Election.ONLINE, Choice(leader=3), FROM_ISR),
        (candidates("", "32", "123", leader=1), Election.ONLINE, Choice(leader=2, from_elr=True), FROM_ELR),
        (candidates("", "", "3", last=3), Election.ONLINE, Choice(leader=3, unclean=True), LAST),
        (candidates("", "", "3", last=2), Election.ONLINE, Choice(leader=-1), NOBODY),
        (candidates("", "", "4", last=4), Election.ONLINE, Choice(leader=-1), NOBODY),
        (candidates("", "", "3", last=3, elr_on=False), Election.ONLINE, Choice(leader=-1), NOBODY),
        (candidates("1", "", "3", last=3), Election.ONLINE, Choice(leader=-1), NOBODY),
        (candidates("", "1", "3", last=3), Election.ONLINE, Choice(leader=-1), NOBODY),
        (candidates("1", "", "32", last=3), Election.UNCLEAN, Choice(leader=2, unclean=True), UNCLEAN),
        (candidates("1", "", ""), Election.UNCLEAN, Choice(leader=-1), NOBODY),
        (candidates("1", "", "23"), Election.PREFERRED, Choice(leader=-1), NOBODY),
    ],
)
def test_who_is_elected(given: Candidates, election: Election, choice: Choice, reason: str) -> None:
    ruling = elect_leader(given, election)
    assert (ruling.value, ruling.granted, ruling.reason) == (choice, choice.leader != -1, reason)
    is_last = given.elr_enabled and not given.target_isr and not given.target_elr
    last = {"last_known_leader": given.state.last_known_leader} if is_last else {}
    assert ruling.numbers == last | {
        "election": election.value,
        "leader_before": given.state.leader,
        "leader": choice.leader,
        "assignment": [1, 2, 3],
        "isr": list(given.target_isr),
        "elr": list(given.target_elr),
        "eligible": sorted(given.eligible & {1, 2, 3}),
    }


@pytest.mark.parametrize(
    ("given", "choice", "members", "granted"),
    [
        (candidates("", "", "3"), Choice(leader=3, unclean=True), Membership((3,), (), True), True),
        (candidates("", "23", "2"), Choice(leader=2, from_elr=True), Membership((2,), (3,), False), True),
        (candidates("", "23", ""), Choice(leader=-1, from_elr=True), Membership((), (2, 3), False), False),
        (candidates("", "", "", elr_on=False), Choice(leader=-1), Membership((1, 2, 3), (), False), False),
        (candidates("", "", ""), Choice(leader=-1), Membership((), (), False), False),
        (candidates("12", "3", "12"), Choice(leader=1), Membership((1, 2), (3,), False), False),
    ],
)
def test_the_isr_after_an_election(
    given: Candidates,
    choice: Choice,
    members: Membership,
    granted: bool,  # noqa: FBT001
) -> None:
    ruling = isr_after_election(given, choice, recovering=False)
    assert (ruling.value, ruling.granted) == (members, granted)
    again = isr_after_election(given, choice, recovering=True).value
    assert again == Membership(members.isr, members.elr, True)
