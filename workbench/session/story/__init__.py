"""The story of a run: what happened to the cluster, what followed from it, and when it was over."""
