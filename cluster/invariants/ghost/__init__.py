"""The run rebuilt from its events: logs with the digest of each prefix, nodes, partitions and their leaderships."""
