"""Judges a run from its events alone: rebuilds every log and checks what must always hold. Imports only the model."""
