"""What simulated nodes live in: one heap, the clocks, the network, the disks, the nodes and the clients."""
