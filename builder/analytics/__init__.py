"""The builder's analytics: questions, answers and refusals of a plugin over any days."""
