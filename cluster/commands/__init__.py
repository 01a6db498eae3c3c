"""What the commands of a lab do, the same in both worlds: who is told, what is written, when it is done."""
