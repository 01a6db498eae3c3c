"""The door of a broker to its Kafka clients: sockets, frames, and each request's way into the node and out."""
