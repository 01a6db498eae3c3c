"""Events in words: one true sentence each, and the tone it is shown in."""
