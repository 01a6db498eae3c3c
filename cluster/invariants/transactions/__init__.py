"""Transactions: what is decided, what is marked, and what readers of committed records are given."""
