"""A node as a process: its configuration, its line to the lab, its loop."""
