"""One pure draw function per pane."""
