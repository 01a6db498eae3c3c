"""Links between nodes: frames, the handshake before them, and what becomes of frames while a link is faulty."""
