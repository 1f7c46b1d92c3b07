"""Documents come in, are watched while they are read, looked into, described, replaced and removed."""
