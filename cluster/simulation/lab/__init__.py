"""A simulated cluster behind the door of a lab: for scripts, lessons and whoever watches it move by move."""
