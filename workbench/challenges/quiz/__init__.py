"""Twelve questions before the course and after it: no cluster is needed, the answers come from recordings."""
