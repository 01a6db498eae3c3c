"""A broker's own life: registration, heartbeats, producer ids."""
