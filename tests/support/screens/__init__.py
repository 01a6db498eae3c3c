"""A real terminal, and the screen in it."""
