"""Measurements: how fast the cluster is, beside a peer measured in the same run."""
