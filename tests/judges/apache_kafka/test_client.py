"""One question, one answer, over a real connection."""

import asyncio

import pytest

from cluster.kafka.apis.api_versions import API_VERSIONS, ApiVersionsRequest, ApiVersionsResponse
from cluster.kafka.codec.limits import CodecError
from cluster.kafka.frames import LENGTH_BYTES, check_frame_length, decode_request, encode_response
from judges.apache_kafka.client import KafkaClient, NoAnswer
from judges.apache_kafka.links import LOOPBACK

PATIENCE_S = 5


async def ask_one_that_answers(answer: bytes) -> ApiVersionsResponse:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = decode_request(await reader.readexactly(check_frame_length(await reader.readexactly(LENGTH_BYTES))))
        assert request.api is API_VERSIONS
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, 0)
    client = KafkaClient({1: server.sockets[0].getsockname()[1]})
    try:
        found = await client.ask(1, API_VERSIONS, 3, ApiVersionsRequest(), PATIENCE_S)
    finally:
        server.close()
        await server.wait_closed()
    assert isinstance(found, ApiVersionsResponse)
    return found


async def test_an_answer_is_read() -> None:
    answer = encode_response(API_VERSIONS, 3, 1, ApiVersionsResponse(error_code=35))
    assert (await ask_one_that_answers(answer)).error_code == 35


async def test_an_answer_to_another_question_is_none() -> None:
    with pytest.raises(CodecError, match="an answer to question 7"):
        await ask_one_that_answers(encode_response(API_VERSIONS, 3, 7, ApiVersionsResponse()))


async def test_a_connection_that_ends_is_no_answer() -> None:
    with pytest.raises(NoAnswer):
        await ask_one_that_answers(b"\x00")


async def test_nobody_there_is_no_answer() -> None:
    with pytest.raises(NoAnswer):
        await KafkaClient({1: 1}).ask(1, API_VERSIONS, 3, ApiVersionsRequest(), PATIENCE_S)
