"""Half an hour of mixed traffic with a fault every minute, and a checker that runs throughout: `make soak`."""
