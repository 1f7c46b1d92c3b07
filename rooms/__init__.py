"""Several plugins on one question, and texts held against what a plugin's documents say.

Nothing here is kept: each question to a plugin is a row of the log of questions, as everywhere.
"""
