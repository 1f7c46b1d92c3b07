"""The pane of a plugin's limits."""
