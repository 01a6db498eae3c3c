"""The tool: command line, screen, lessons."""
