"""Bytes of Kafka's protocol to objects and back: how a class says its layout, and the functions made of that."""
