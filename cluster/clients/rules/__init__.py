"""The rules of clients, one file for each concept."""
