"""The process that owns nodes, faults and built-in clients, and a viewer's line to it."""
