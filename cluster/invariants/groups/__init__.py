"""Invariants GR: consumer groups, as coordinators and members tell of them."""
