"""Memories of transitions."""
