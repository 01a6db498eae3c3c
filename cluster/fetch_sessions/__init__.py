"""Fetch sessions (KIP-227): who fetches names only what changed, and is told only what is new.

What a broker remembers is in `remembered`, what a fetcher does in `asking`, the messages between them in
`cluster/model/messages/fetch_sessions.py`. Replicas use both in `cluster/replication/fetch_sessions.py`.
"""
