"""Invariants L: what must come to pass once a run is calm, and on the majority's side of a cut."""
