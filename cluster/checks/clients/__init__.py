"""Rules C: what producers and consumers saw."""
