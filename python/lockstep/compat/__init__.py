"""Other programs' names over this one's engines."""
