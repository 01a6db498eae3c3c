"""What a run holds on this machine: its folder, its locks, its ports."""
