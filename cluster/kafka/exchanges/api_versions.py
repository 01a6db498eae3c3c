"""ApiVersions: what we can do, also told to those who ask in a version that we cannot. Source: KIP-35, KIP-511."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cluster.kafka.apis import APIS, ApiKey, advertised
from cluster.kafka.errors import KafkaError
from cluster.kafka.frames import Request, encode_response
from cluster.kafka.schema.api_versions import ApiVersion, ApiVersionsResponse

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
_NAMED_FROM = 3


def answer(request: Request, keys: Iterable[int]) -> ApiVersionsResponse:
    """The ranges of these requests, or INVALID_REQUEST for a client whose name is none."""
    message = request.message
    names = (message.client_software_name, message.client_software_version)
    if request.version >= _NAMED_FROM and not all(_SOFTWARE.fullmatch(name) for name in names):
        return ApiVersionsResponse(KafkaError.INVALID_REQUEST)
    return ApiVersionsResponse(KafkaError.NONE, _ranges(keys))


def unsupported(correlation_id: int, keys: Iterable[int]) -> bytes:
    """The frame for a client that asked in a version that we lack: the layout of version 0, which all can read."""
    response = ApiVersionsResponse(KafkaError.UNSUPPORTED_VERSION, _ranges(keys))
    return encode_response(APIS[ApiKey.API_VERSIONS], 0, correlation_id, response)


def _ranges(keys: Iterable[int]) -> list[ApiVersion]:
    return [ApiVersion(*each) for each in advertised({*keys, ApiKey.API_VERSIONS})]
