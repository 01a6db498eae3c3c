"""What every coordinator has in common: a partition of its own topic, read by who leads it, written as it decides."""
