"""Made traces: events as nodes would tell them, for whoever reads events."""
