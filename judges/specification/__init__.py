"""Runs judged from outside: by specifications of Kafka that others wrote, and the checker of TLA+."""
