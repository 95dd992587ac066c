"""Graders: what an episode is worth, and why. Pure functions of labels and trace."""
