"""Who outside is told what happens."""
