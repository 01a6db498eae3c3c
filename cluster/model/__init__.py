"""Vocabulary of the whole system: identifiers, records, messages, inputs, effects, events, settings."""
