"""From the bytes of trace files to rows of the events table."""
