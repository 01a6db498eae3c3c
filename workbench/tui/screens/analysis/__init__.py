"""The analysis of a run on a screen of its own: the job behind it, its views, its figures."""
