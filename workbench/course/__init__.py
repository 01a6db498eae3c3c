"""Lessons: find them, read them, know what they promise, remember what was answered."""
