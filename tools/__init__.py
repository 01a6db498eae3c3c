"""What makes the documentation; no part of what is installed."""
