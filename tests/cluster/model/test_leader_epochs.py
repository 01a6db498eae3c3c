"""The epoch cache, and worked examples of it."""

from __future__ import annotations

import pytest

from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs

SEED_TABLE = ((0, 0), (1, 300), (2, 500))


def test_the_end_of_an_epoch_is_the_start_of_the_next() -> None:
    epochs = LeaderEpochs(SEED_TABLE)
    assert epochs.end_offset_for(0, 550) == (0, 300)
    assert epochs.end_offset_for(1, 550) == (1, 500)


def test_the_latest_epoch_ends_at_the_log_end() -> None:
    assert LeaderEpochs(SEED_TABLE).end_offset_for(2, 550) == (2, 550)


def test_an_epoch_above_all_is_unknown() -> None:
    assert LeaderEpochs(SEED_TABLE).end_offset_for(3, 550) == UNKNOWN_END
    assert LeaderEpochs().end_offset_for(0, 0) == UNKNOWN_END


def test_who_has_no_epoch_is_told_of_none() -> None:
    assert LeaderEpochs(SEED_TABLE).end_offset_for(-1, 550) == UNKNOWN_END


def test_the_latest_epoch_is_the_last_one_or_none() -> None:
    assert LeaderEpochs(SEED_TABLE).latest() == 2
    assert LeaderEpochs().latest() == -1


def test_an_epoch_the_leader_never_had_answers_the_one_below() -> None:
    assert LeaderEpochs(((1, 0), (3, 3))).end_offset_for(2, 3) == (1, 3)


def test_an_epoch_below_all_answers_itself_with_the_first_start() -> None:
    assert LeaderEpochs(((2, 0), (3, 2))).end_offset_for(1, 3) == (1, 0)


def test_the_same_epoch_later_in_the_log_changes_nothing() -> None:
    epochs = LeaderEpochs(SEED_TABLE)
    assert not epochs.assign(2, 520)
    assert not epochs.assign(2, 500)
    assert epochs.entries() == SEED_TABLE


def test_the_same_epoch_earlier_in_the_log_begins_there() -> None:
    epochs = LeaderEpochs(SEED_TABLE)
    assert epochs.assign(2, 499)
    assert epochs.entries() == ((0, 0), (1, 300), (2, 499))


def test_a_contradicting_entry_drops_the_tail() -> None:
    epochs = LeaderEpochs(SEED_TABLE)
    assert epochs.assign(3, 400)
    assert epochs.entries() == ((0, 0), (1, 300), (3, 400))
    assert epochs.assign(4, 400)
    assert epochs.entries() == ((0, 0), (1, 300), (4, 400)), "epoch 3 has written nothing"
    assert epochs.assign(1, 600)
    assert epochs.entries() == ((0, 0), (1, 600)), "an older epoch takes the place of its own and of all newer ones"


def test_cutting_the_log_forgets_epochs_that_start_at_or_past_the_cut() -> None:
    epochs = LeaderEpochs(SEED_TABLE)
    assert epochs.truncate_from_end(500)
    assert epochs.entries() == SEED_TABLE[:2]
    assert not epochs.truncate_from_end(500)
    assert epochs.truncate_from_end(0)
    assert epochs.entries() == ()


def test_the_epoch_of_an_offset() -> None:
    epochs = LeaderEpochs(SEED_TABLE)
    assert [epochs.epoch_at(offset) for offset in (0, 299, 300, 549)] == [0, 0, 1, 2]
    assert LeaderEpochs().epoch_at(0) == -1


@pytest.mark.parametrize(
    ("start", "left"),
    [
        (0, ((0, 0), (1, 300), (2, 500))),
        (299, ((0, 299), (1, 300), (2, 500))),
        (300, ((1, 300), (2, 500))),
        (400, ((1, 400), (2, 500))),
        (900, ((2, 900),)),
    ],
)
def test_a_start_that_moves_takes_whole_epochs_and_the_beginning_of_one(
    start: int, left: tuple[tuple[int, int], ...]
) -> None:
    epochs = LeaderEpochs([(0, 0), (1, 300), (2, 500)])
    assert epochs.truncate_from_start(start) == (start > 0)
    assert epochs.entries() == left


@pytest.mark.parametrize("known", [(), ((3, 10),)])
def test_a_start_before_all_epochs_changes_nothing(known: tuple[tuple[int, int], ...]) -> None:
    epochs = LeaderEpochs(known)
    assert not epochs.truncate_from_start(5)
    assert epochs.entries() == known
