from __future__ import annotations

import pytest

from benchmarks.caller import VALUE
from benchmarks.load import FIRST_CORRELATION, Template
from cluster.links.frame import FrameDecoder
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import ProduceRequest
from cluster.model.record_batch import check_crc, decode_records


@pytest.mark.parametrize("count", [1, 512])
def test_a_template_differs_in_its_correlation_only(count: int) -> None:
    template = Template(TopicPartition("bench", 0), count)
    first, second = FrameDecoder().feed(
        template.with_correlation(FIRST_CORRELATION) + template.with_correlation(FIRST_CORRELATION + 4)
    )
    assert (first.correlation, second.correlation) == (FIRST_CORRELATION, FIRST_CORRELATION + 4)
    assert isinstance(first.message, ProduceRequest)
    assert first.message == second.message
    assert check_crc(first.message.records)
    assert [record.value for record in decode_records(first.message.records)] == [VALUE] * count
