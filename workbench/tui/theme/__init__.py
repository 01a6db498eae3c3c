"""Colours: what they mean, the themes that say them again, and apps that wear one."""
