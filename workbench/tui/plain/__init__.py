"""The workbench as lines of ASCII: sentences out, commands in, for screen readers, pipes and dumb terminals."""
