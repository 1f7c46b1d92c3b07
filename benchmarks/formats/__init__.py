"""How completely files of each format are read, beside readers by other makers."""
