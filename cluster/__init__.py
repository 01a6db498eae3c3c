"""The system under study: a KRaft quorum and ISR-replicated brokers, readable without the tool."""
