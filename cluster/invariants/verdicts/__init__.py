"""What the checker says of each invariant, and which broken assumptions excuse what."""
