"""Reviews by people who have used a plugin, and reports of what should not be public."""
