"""Invariants Z: the coordinator's znodes, sessions and watches; controllers that race, and brokers that obey them."""
