from __future__ import annotations

from workbench.session.story.rows import rows_at
from workbench.session.story.story import Story


def test_the_newest_comes_first_and_what_followed_where_it_is_opened() -> None:
    story = Story()
    teller = story.teller
    teller.t_ns = 1_000_000_000
    first = teller.open("n103 leads the quorum in e1")
    teller.step(first, "3 brokers follow n103")
    teller.place, teller.t_ns = 7, 61_200_000_000
    killed = teller.open("You killed n103, the leader", glyph="\u2717")
    teller.place, teller.t_ns = 8, 61_497_000_000
    teller.step(killed, "n101 asks around")
    teller.cost(killed, ("leaderless",), "no leader for {}", since_ns=61_200_000_000)
    found = list(rows_at(story, 9, 61_501_000_000, 0, opened=lambda item: item is killed))
    assert [(row.kind, row.time, row.text) for row in found] == [
        ("head", "1:01.2", "You killed n103, the leader"),
        ("step", "+0.297", "n101 asks around"),
        ("cost", "", "no leader for 0.301 s so far"),
        ("head", "1.0", "n103 leads the quorum in e1"),
    ]
    assert [row.place for row in rows_at(story, 7, 0, 0, opened=lambda _item: False)] == [0]
