"""Recorded runs as tables and figures, on Spark. The only home of PySpark; nothing else imports it."""
