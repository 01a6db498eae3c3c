"""The world of real processes: node processes, sockets, files, and the lab that owns them."""
