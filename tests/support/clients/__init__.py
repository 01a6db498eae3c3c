"""Real Kafka clients, raw frames and brokers to send them to."""
