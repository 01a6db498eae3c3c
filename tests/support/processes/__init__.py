"""Real processes: nodes, labs, and what watches them."""
