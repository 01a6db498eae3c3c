"""Decisions of the machines against what the specifications make of the numbers that were compared."""
