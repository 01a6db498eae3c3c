"""Help for tests of challenges."""
