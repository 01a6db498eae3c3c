"""Kafka's protocol for clients: messages, their codec, frames and record batches. It does no input or output."""
