"""The table and its rules."""
