"""Deeds of Spark, told as lines of JSON: `python spark_client.py BOOTSTRAP KEYS`, jars in PYSPARK_SUBMIT_ARGS."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from workbench.analysis.spark import make_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

FOLLOWED = "followed"
WITHIN_MS = {"kafka.request.timeout.ms": "3000", "kafka.default.api.timeout.ms": "5000"}
"""Java's admin client, which Spark asks for the newest offsets, goes on waiting for a leader that has been taken out of
the cluster between its two questions. After this Spark asks anew; by default it is a minute."""
PAIR = ("CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value", "partition", "offset")


class SparkClient:
    """One session."""

    def __init__(self, bootstrap: str, keys: int) -> None:
        self._keys = keys
        self._spark = make_session(cores=2)
        self._where = {"kafka.bootstrap.servers": bootstrap, "kafka.metadata.max.age.ms": "1000"}
        self._earliest = {"startingOffsets": "earliest", **self._where, **WITHIN_MS}
        self._query: StreamingQuery | None = None

    def write(self, topic: str, start: int, end: int) -> None:
        """One task writes the items of `whole.items`, so that they have an order."""
        numbers = self._spark.range(start, end, numPartitions=1)
        key = f"concat('k', id % {self._keys})"
        rows = numbers.selectExpr(f"{key} AS key", f"concat({key}, ':', id div {self._keys}) AS value")
        rows.write.format("kafka").options(topic=topic, **self._where).save()

    def read(self, topic: str) -> list[list[str]]:
        """A batch query."""
        rows = self._spark.read.format("kafka").options(subscribe=topic, **self._earliest).load()
        return _told(rows.selectExpr(*PAIR))

    def follow(self, topic: str) -> None:
        """A streaming query into a table in memory."""
        rows = self._spark.readStream.format("kafka").options(subscribe=topic, **self._earliest).load()
        self._query = rows.selectExpr(*PAIR).writeStream.format("memory").queryName(FOLLOWED).start()

    def count(self) -> int:
        """So many rows."""
        assert self._query is not None
        failed = self._query.exception()
        assert failed is None, str(failed)
        return int(self._spark.table(FOLLOWED).count())

    def end(self) -> list[list[str]]:
        """Stop it."""
        assert self._query is not None
        self._query.stop()
        return _told(self._spark.table(FOLLOWED))

    def close(self) -> None:
        """No session is left."""
        self._spark.stop()


def _told(rows: DataFrame) -> list[list[str]]:
    return [[row.key, row.value] for row in rows.orderBy("partition", "offset").collect()]


def main() -> None:
    """Do what the lines say, and answer each with one."""
    client = SparkClient(sys.argv[1], int(sys.argv[2]))
    for line in sys.stdin:
        word, *told = json.loads(line)
        answer: dict[str, Any]
        try:
            answer = {"done": getattr(client, word)(*told)}
        except (AssertionError, Py4JError, PySparkException) as error:
            answer = {"failed": f"{word}: {str(error)[:2000]}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    client.close()


if __name__ == "__main__":
    main()
