"""Files that are made to harm whoever reads them, and what our reading of them costs."""
