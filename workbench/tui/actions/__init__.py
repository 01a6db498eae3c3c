"""What each key, click and word does: it changes the UI state or sends one command."""
