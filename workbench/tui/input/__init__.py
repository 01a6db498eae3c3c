"""What is pressed and typed: the table of keys, the line being typed, its words and suggestions."""
