"""What the screen knows of a cluster: pure folds over the events of a run."""
