"""The script language: parse, check, run against a lab, say what happened."""
