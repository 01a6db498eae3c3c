"""Challenges: free play with a goal, graded from the trace; the bug hunt; a rule of one's own."""
