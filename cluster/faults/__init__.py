"""Faults and lab commands: what they are, how they are written, what a link fault does to a message."""
