"""Others judge what the workbench shows: Apache Kafka, specifications that nobody here wrote, suites of clients."""
