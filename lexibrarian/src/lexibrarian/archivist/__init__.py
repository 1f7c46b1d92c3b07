"""Who writes descriptions."""
