"""Fetch sessions (KIP-227): who fetches names only what changed, and is told only what is new.

Three files: what a broker remembers (`remembered`), what a fetcher does (`asking`), and the messages between them are in
`cluster/model/messages/fetch_sessions.py`. Followers use both through `cluster/replication/fetch_sessions.py`.
"""
