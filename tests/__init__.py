"""The tests of cluster and workbench."""
