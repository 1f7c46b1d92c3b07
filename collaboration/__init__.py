"""Several plugins answer one question together (`/collaborate`), and texts are checked against a plugin's documents.

Nothing here is kept: each question to a plugin is a row of the log of questions, as everywhere.
"""
