"""The trace: one append-only file of events for each start of a node, and what reads them."""
