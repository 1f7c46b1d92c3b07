"""The pane of how long a plugin's content is kept."""
