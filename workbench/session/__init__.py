"""What a viewer knows of a run: recording, folded views, why-chains. No terminal here."""
