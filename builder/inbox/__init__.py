"""What people asked in vain, by topic, for the author to do something about."""
