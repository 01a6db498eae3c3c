"""A lesson beside a living cluster: its steps played, shown, and told to other screens."""
