"""ZooKeeper's era: znodes, sessions and watches; a controller that wins a race; pushes broker by broker."""
