"""How each event is told, declared once: its sentence, its short forms, the question that it raises, its reason."""
