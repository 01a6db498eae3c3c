"""What a learner hands in, and what it is worth. A file may come from anybody, and is believed in nothing."""
