"""What is different between two releases, or between a release and the draft, as people can read it."""
