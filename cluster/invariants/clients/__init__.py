"""Invariants C: what producers and consumers saw."""
