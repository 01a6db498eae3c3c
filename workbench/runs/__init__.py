"""Runs in the data folder: find one, start one, go on with it, judge it, end what is left of it. No screen here."""
