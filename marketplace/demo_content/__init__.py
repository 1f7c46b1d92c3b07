"""The demonstration plugin: its handbook, its tree, its words, and the questions that show what it can do."""
