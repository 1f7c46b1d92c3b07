"""Numbers in a text: quantities with units and bounds, dates and identifiers, and whether one text supports another."""
