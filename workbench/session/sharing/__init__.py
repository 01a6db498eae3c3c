"""A simulated run as a short text that plays the same run elsewhere, to the byte."""
