"""Clusters drawn, broken, healed and judged at random, one seed each; what fails is made small."""
