"""What stands behind the commands of the command line."""
