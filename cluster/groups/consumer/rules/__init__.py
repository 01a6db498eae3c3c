"""The rules of groups of the newer protocol, one file for each concept."""
