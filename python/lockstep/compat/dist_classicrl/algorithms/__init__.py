"""Q-learning and how it is run."""
