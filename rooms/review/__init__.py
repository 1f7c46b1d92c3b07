"""A text that is given, held segment by segment against what a plugin's documents say."""
