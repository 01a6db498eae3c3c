"""What fills the terminal: the first screen, the main one, the speaker's notes, the analysis."""
