"""The built-in clients: one command of a learner or a script, carried out against the cluster."""
