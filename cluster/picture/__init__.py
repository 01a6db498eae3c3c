"""The one fold of events into what the cluster is: nodes, logs, partitions, vote rounds, faults, groups."""
