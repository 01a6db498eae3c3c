"""What can be wrong with bytes that claim to be Kafka's protocol."""

from __future__ import annotations

UNKNOWN_OFFSET = -1


class CodecError(Exception):
    """Bytes that are not the message they claim to be, or an object that cannot be written as one.

    The only exception that leaves the codec. Its text never holds bytes of the frame, so it may be logged.
    """

    def __init__(self, what: str, field: str = "", offset: int = UNKNOWN_OFFSET) -> None:
        super().__init__(what, field, offset)
        self.what = what
        """What is wrong."""
        self.field = field
        """Message and field, as in ProduceRequest.topic_data.name; empty when it is not about a field."""
        self.offset = offset
        """Byte of the frame (without its length) at which reading stopped; -1 when writing."""

    def __str__(self) -> str:
        field = f" in {self.field}" if self.field else ""
        offset = f" at byte {self.offset}" if self.offset >= 0 else ""
        return f"{self.what}{field}{offset}"


class UnsupportedVersionError(CodecError):
    """A request with a key or a version that is not in the table. Kafka closes the connection, but for ApiVersions."""

    def __init__(self, api_key: int, api_version: int, correlation_id: int, client_id: str | None) -> None:
        super().__init__(f"version {api_version} of API {api_key} is not supported")
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        """Untrusted text; None when it could not be read."""
