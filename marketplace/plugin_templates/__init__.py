"""Templates of new plugins: texts for the persona, a sample tree, and questions that it has to refuse."""
