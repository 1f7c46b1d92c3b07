"""Checks a given text, segment by segment, against the documents of a plugin."""
