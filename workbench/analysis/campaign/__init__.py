"""Campaigns: a grid of settings, faults and seeds, simulated on Spark's executors and told as heatmaps."""
