"""Frames that were right once. `python mutations.py COUNT` reads that many and prints how much memory it took."""

from __future__ import annotations

import resource
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

from cluster.kafka.api import Api, Request
from cluster.kafka.codec.limits import CodecError
from cluster.kafka.frames import decode_request, decode_response, encode_request, encode_response
from tests.support.clients.random_messages import EACH, random_message

SPECIAL = (
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\xff\xff",
    b"\x7f\xff",
    b"\xff\xff\xff\xff\x07",
    b"\x00",
)


def mutated(rng: Random, frame: bytes) -> bytes:
    """The frame with a few bytes changed, cut, put in or doubled."""
    data = bytearray(frame)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0:
                data[at : at + 1] = bytes((rng.randrange(256),))
            case 1:
                if at < len(data):
                    data[at] ^= 1 << rng.randrange(8)
            case 2:
                del data[at : at + rng.choice((1, 2, 4, 40))]
            case 3:
                special = rng.choice(SPECIAL)
                data[at : at + rng.choice((0, len(special)))] = special
            case 4:
                data[at:at] = data[at : at + rng.choice((1, 4, 60))]
            case _:
                data[at:at] = rng.randbytes(rng.choice((1, 3, 17)))
    return bytes(data)


def originals(rng: Random) -> list[tuple[Api, int, bytes, bool]]:
    """One request and one response of each version."""
    found = []
    for api, version in EACH:
        request = Request(api, version, 1, "client", random_message(rng, api.request, version))
        found.append((api, version, encode_request(request)[4:], True))
        found.append(
            (api, version, encode_response(api, version, 1, random_message(rng, api.response, version))[4:], False)
        )
    return found


def read_mutated(seed: int, count: int) -> Iterator[str]:
    """Read this many bad frames; "read" or what the codec said about each. Any other exception is a bug and leaves."""
    rng = Random(seed)
    frames = originals(rng)
    for number in range(count):
        api, version, frame, is_request = frames[number % len(frames)]
        bad = mutated(rng, frame)
        try:
            if is_request:
                decode_request(bad)
            else:
                decode_response(api, version, bad)
        except CodecError as error:
            yield error.what
        else:
            yield "read"


def main(count: int) -> None:
    """Read, and print how far the most memory ever held has grown, in KiB, and what was said how often."""
    for _ in read_mutated(0, 2 * len(EACH)):
        pass
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = Counter(what.split()[0] for what in read_mutated(1, count))
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    sys.stdout.write(f"{growth} {said.total()} {said['read']}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
