"""What crosses a socket: frames and the handshake before them."""
