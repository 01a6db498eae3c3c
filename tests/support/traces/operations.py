"""Writes by hand what producers and consumers of one partition say of their operations."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.traces.traces import CLIENT, Trace

WHERE: dict[str, Any] = {"topic": "orders", "partition": 0}


class Operations(Trace):
    """What clients ask, and how it ends for them."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = 0
        """Begun so far."""

    def invoke(
        self,
        function: str = "produce",
        value: str = "value-1",
        *,
        acks: int = -1,
        client: str = "producer-1",
        isolation: str = "",
    ) -> int:
        """A client begins an operation; its number."""
        self.operations += 1
        self.add(
            CLIENT,
            ev.OperationInvoked(
                **WHERE, client_id=client, operation_id=self.operations, function=function, acks=acks, value=value,
                isolation=isolation,
            ),
        )  # fmt: skip
        return self.operations

    def succeed(
        self,
        operation: int,
        base: int,
        *values: str,
        function: str = "produce",
        client: str = "producer-1",
        count: int | None = None,
    ) -> EventId:
        """A client's operation is done."""
        return self.add(
            CLIENT,
            ev.OperationSucceeded(
                **WHERE,
                client_id=client,
                operation_id=operation,
                function=function,
                base_offset=base,
                count=len(values) if count is None else count,
                values=values,
            ),
        )

    def retry(self, operation: int, error: int, *, client: str = "producer-1", attempt: int = 2) -> EventId:
        """A client tries again."""
        return self.add(
            CLIENT,
            ev.OperationRetried(client_id=client, operation_id=operation, error=error, attempt=attempt, target=1),
        )

    def fail(
        self, operation: int, error: int, *, client: str = "producer-1", function: str = "produce", sure: bool = True
    ) -> EventId:
        """A client's operation certainly did nothing, or nobody knows."""
        kind = ev.OperationFailed if sure else ev.OperationUnknown
        return self.add(CLIENT, kind(**WHERE, client_id=client, operation_id=operation, function=function, error=error))

    def acknowledge(self, base: int, crc: str, *, acks: int = -1, value: str = "") -> EventId:
        """A produce of one record that a client was told is done."""
        return self.succeed(self.invoke(value=value or f"value-{crc}", acks=acks), base, crc)

    def read(self, base: int, *texts: str, client: str = "consumer-1") -> EventId:
        """A consumer polls and gets these texts."""
        number = self.invoke("consume", f"from {base}", client=client)
        return self.succeed(number, base, *texts, function="consume", client=client)
