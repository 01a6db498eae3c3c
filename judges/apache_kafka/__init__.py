"""Apache Kafka beside us: the same script on brokers of Kafka, told in our events, and held against both our worlds."""
