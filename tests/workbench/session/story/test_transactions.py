"""The story of transactions: what is aborted, and what it cost."""

from __future__ import annotations

from cluster.picture.cluster_state import ClusterState
from tests.support.traces.transactional import Transactional
from workbench.session.story.story import Story
from workbench.session.views.cluster import ClusterView


def heads(trace: Transactional) -> list[str]:
    """The line of each incident about transactions, as it reads at the end."""
    story, picture = Story(), ClusterView()
    assert isinstance(picture, ClusterState)
    for index, entry in enumerate(trace.entries):
        picture.apply(entry)
        story.apply(entry, index, picture)
    return [item.head.said[-1].text for item in story.incidents if item.kind == "transaction"]


def test_an_aborted_transaction_says_why_and_what_is_never_read() -> None:
    trace = Transactional()
    trace.state("Ongoing", "Empty")
    trace.write()
    trace.write()
    trace.state("PrepareAbort", "Ongoing")
    trace.mark(committed=False)
    trace.state("CompleteAbort", "PrepareAbort")
    assert heads(trace) == ["Transaction of t aborted: by hand, 2 records never read"]


def test_commits_of_one_id_are_one_line() -> None:
    trace = Transactional()
    for _ in range(3):
        trace.whole()
        trace.state("CompleteCommit", "PrepareCommit")
    assert heads(trace)[0].endswith("transactions of t committed")
