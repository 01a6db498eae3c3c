"""Invariants P: partitions, their replicas' logs, ISRs and high watermarks, and what producers were told."""
