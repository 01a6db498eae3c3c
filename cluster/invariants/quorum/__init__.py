"""Invariants R: elections, what quorum nodes remember, the metadata log, and what brokers apply of it."""
