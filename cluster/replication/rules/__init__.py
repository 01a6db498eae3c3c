"""The rules of a partition's leader and its followers, one file for each concept."""
