"""The language of commands: words, how a command is declared, and the grammar that follows from it."""
