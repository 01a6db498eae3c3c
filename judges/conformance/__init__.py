"""The clients' own test suites, unmodified, against brokers of ours: `make conformance`."""
