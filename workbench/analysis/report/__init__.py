"""Tables for people: on the console, and as one page with figures. Plain Python over plain rows, no Spark."""
