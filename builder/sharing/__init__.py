"""Who works on a plugin, and who may use it."""
