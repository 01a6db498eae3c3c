"""A class that answers from its own machines: the votes, the page, and the server that brings both together."""
