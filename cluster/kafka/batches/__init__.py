"""Record batches of clients: what a broker checks of header, records and times before it appends one."""
