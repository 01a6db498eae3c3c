"""What a run decided, step by step."""
