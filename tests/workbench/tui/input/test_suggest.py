from __future__ import annotations

from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.session.views.cluster import ClusterView
from workbench.tui.input.suggest import complete, mistake, suggest, usage


def view() -> ClusterView:
    recording = Recording()
    recording.extend(story.full_story())
    return recording.live


def test_nodes_and_topics_come_from_the_view() -> None:
    assert "kill 3" in suggest("kill ", view()) and "kill leader(orders-0)" in suggest("kill ", view())
    assert suggest("produce ", view()) == ("produce orders-0",)
    assert suggest("/x", view()) == ()


def test_tab_takes_what_all_share() -> None:
    assert complete("po", suggest("po", view())) == "power-loss "
    assert complete("di", suggest("di", view())) == "disk-"
    assert complete("re", suggest("re", view())) == "re"
    assert complete("kill ", ("kill 1", "kill 2")) == "kill "
    assert complete("zz", ()) == "zz"


def test_a_mistake_is_told_in_the_grammars_own_words() -> None:
    assert "did you mean" in mistake("kil 2") and mistake("kill 2") == ""
    assert usage("kill 2").startswith("kill N")


def test_tab_goes_no_further_than_what_every_continuation_shares() -> None:
    offered = suggest("cut ", view())
    assert {"cut 1-2", "cut 5>4"} <= set(offered), "all links are offered, not only the first node's"
    assert len(suggest("", view())) > 20, "every command is offered"
