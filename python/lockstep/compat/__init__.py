"""Modules that scripts written for other programs import instead of those."""
