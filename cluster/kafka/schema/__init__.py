"""The messages of Kafka's protocol, one module an API, one line a field. Source: Kafka's protocol guide."""
