"""The builder's pages of collaborators and of sharing."""
