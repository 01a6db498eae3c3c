"""Lessons: find them, read them, play them, remember what was answered."""
