"""Planted bugs that the checker must catch."""
