"""The rules of the quorum, one file for each concept."""
