"""Characters with styles: the canvas, where what lies on it, the widget that shows it, and its picture."""
