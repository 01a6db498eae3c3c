"""The deterministic world: the same nodes on one heap, one virtual clock and one seed. Same seed, same run."""
