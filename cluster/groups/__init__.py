"""The coordinator of consumer groups: one for each partition of __consumer_offsets, on the broker that leads it."""
