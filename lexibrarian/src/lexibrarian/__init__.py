"""A library of a codebase, written as Markdown beside the code, that coding agents read and keep."""
