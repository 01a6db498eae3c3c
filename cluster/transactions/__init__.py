"""The coordinator of transactions: what a producer wrote to several partitions counts as a whole, or not at all."""
