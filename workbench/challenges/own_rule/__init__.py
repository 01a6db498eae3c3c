"""A rule of one's own: a learner's function takes the place of one of the cluster's in small simulated clusters."""
