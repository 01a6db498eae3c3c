"""The rules of the active controller, one file for each concept."""
