"""What agents ask, and the way to the next release."""
