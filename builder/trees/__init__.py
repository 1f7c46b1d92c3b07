"""Decision trees: their list, and the editor of one."""
