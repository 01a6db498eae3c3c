"""`python -m benchmarks`: print every measurement there is."""

from __future__ import annotations

from benchmarks.pysyncobj_peer import measure

SECONDS = 3.0
BASE_PORT = 23000


def main() -> None:
    """PySyncObj, three processes, 100-byte payload, append entries not batched."""
    print("in flight  commits/s   p50 ms   p99 ms   start ms   (PySyncObj, 3 processes, memory)")
    for place, in_flight in enumerate((1, 64, 512)):
        result = measure(in_flight, SECONDS, BASE_PORT + place * 100)
        numbers = (result["per_second"], result["p50_ms"], result["p99_ms"], result["ready_ms"])
        print(f"{in_flight:9d}  {numbers[0]:9.0f}  {numbers[1]:7.2f}  {numbers[2]:7.2f}  {numbers[3]:9.0f}")


if __name__ == "__main__":
    main()
