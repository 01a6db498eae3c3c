"""One controller or broker: routes inputs to its machines and chains their effects."""
