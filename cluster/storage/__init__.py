"""What a node keeps on disk: segment logs, quorum-state, checkpoints, and the books of what power loss would keep."""
