"""Compares two releases, or a release and the draft, in words for people."""
