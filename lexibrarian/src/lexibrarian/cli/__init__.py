"""The two commands: `lexi` for agents, `lexictl` for upkeep."""
