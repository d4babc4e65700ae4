"""Modules that scripts of other programs import instead."""
