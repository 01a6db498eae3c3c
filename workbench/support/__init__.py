"""What every part of the tool leans on: safe text, refusals, places, small files."""
