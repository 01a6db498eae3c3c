"""Simulated runs at a learner's pace: begin one, drive it beside the screen, branch off another."""
