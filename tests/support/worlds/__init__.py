"""Small worlds around one machine, to drive it by hand."""
