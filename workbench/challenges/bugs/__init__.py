"""Bugs that a bug hunt seals: each is one small patch of one rule or handler, in force within a block only."""
