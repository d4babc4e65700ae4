"""How a table is trained."""
