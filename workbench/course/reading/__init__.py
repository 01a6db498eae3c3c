"""Reads a lesson folder of schema 2 into `course/content.py`: first the file's frame, then each kind of block."""
