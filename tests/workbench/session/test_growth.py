from __future__ import annotations

from tests.support.traces import story
from workbench.session.growth import GrowthMeter, grow
from workbench.session.timeline import Timeline
from workbench.session.views.cluster import ClusterView


def test_what_a_timeline_gained_piece_by_piece_makes_another_like_it() -> None:
    one, other, view = Timeline(), Timeline(), ClusterView()
    meter = GrowthMeter(one)
    for index, entry in enumerate(story.full_story()):
        view.apply(entry)
        one.apply(entry, index, view)
        if index % 7 == 0:
            grow(other, meter.take())
    grow(other, meter.take())
    assert vars(other) == vars(one) and one.marks and one.isr and one.faults
    assert meter.take()[2:5] == ([], {}, {}), "nothing came since"
